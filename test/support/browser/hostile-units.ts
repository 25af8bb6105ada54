/** What a page must show as text. */
const texts = [
  '<script>document.title="taken"</script><img src=x onerror="document.title=\'taken\'">',
  '<svg onload="document.title=\'taken\'"><a href="javascript:alert(1)">x</a></svg>',
  'safe \u202Etxt.exe\u202C and \u0001 end',
]

export const hostileUnits = texts.map((text, i) => ({
  text,
  doc_id: 'hostile',
  external_id: `hostile-${i}`,
  scope: 'harbor/general',
  acl_groups: ['*'],
}))
