import type { JsonSchema } from '../src/http/rest/openapi-types.ts'

interface Described {
  paths: object
  components: { schemas: Record<string, JsonSchema> }
}

interface Property {
  type?: string
  description?: string
  $ref?: string
  items?: Property
  anyOf?: Property[]
}

const head = `"""What the service answers. Made by \`npm run schema\` of the service."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """An object of an answer. What a later version adds is an attribute, too; \`hit["text"]\` is \`hit.text\`."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, use_attribute_docstrings=True)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)
`

/** The models of the Python client: of all answers in the document, and of the types named besides. */
export function pythonModels({ paths, components: { schemas } }: Described, besides: readonly string[]): string {
  const classes = new Map<string, string>()
  const add = (name: string): void => {
    const schema = schemas[name] as { properties?: Record<string, Property>; required?: string[] } & Property
    if (classes.has(name) || !schema.properties) return
    classes.set(name, '')
    // Those that it refers to come first, so that it is complete at once.
    for (const below of namesIn(schema)) add(below)
    classes.delete(name)
    classes.set(name, classOf(name, schema))
  }
  for (const name of [...answersOf(paths).flatMap(namesIn), ...besides]) add(name)
  return [head, ...classes.values()].join('\n\n')
}

interface Path {
  responses?: Record<string, { content?: Record<string, { schema?: object }> }>
}

const answersOf = (paths: object): unknown[] =>
  Object.values(paths).flatMap((path: Record<string, Path>) =>
    Object.values(path).map((one) => one.responses?.['200']?.content?.['application/json']?.schema),
  )

const nameIn = (ref: string): string => ref.split('/').at(-1) ?? ''

const namesIn = (schema: unknown): string[] =>
  [...JSON.stringify(schema ?? null).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => nameIn(ref))

const keywords = ['from', 'in', 'not', 'and', 'or', 'class', 'import', 'is', 'pass']

function classOf(
  name: string,
  {
    properties = {},
    required = [],
    description,
  }: Property & { properties?: Record<string, Property>; required?: string[] },
): string {
  const fields = Object.entries(properties).map(([key, schema]) => {
    const type = typeOf(schema)
    const isRequired = required.includes(key)
    const declared = isRequired || type === 'Any' || type.endsWith(' | None') ? type : `${type} | None`
    const isKeyword = keywords.includes(key)
    const preset = isRequired ? '' : 'None'
    const value = isKeyword ? `Field(${preset && 'default=None, '}alias="${key}")` : preset
    const about = schema.description ? `    """${docstring(schema.description)}"""\n` : ''
    return `    ${isKeyword ? `${key}_` : key}: ${declared}${value && ` = ${value}`}\n${about}`
  })
  return `class ${name}(Model):\n${description ? `    """${docstring(description)}"""\n\n` : ''}${fields.join('')}`
}

const docstring = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '\\"')

/** Values of enumerations are texts: a later version may have more of them. */
function typeOf({ type, $ref, items, anyOf }: Property): string {
  if ($ref) return nameIn($ref)
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ')
  if (type === 'array') return `list[${items ? typeOf(items) : 'Any'}]`
  return (
    { string: 'str', integer: 'int', number: 'float', boolean: 'bool', object: 'dict[str, Any]', null: 'None' }[
      type ?? ''
    ] ?? 'Any'
  )
}
