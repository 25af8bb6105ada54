/** Types of records (MS-PPT 2.13.24). */
const [userEdit, document, notesAtom, slidePersist, slideList, storage] = [4085, 1000, 1009, 1011, 4080, 4113]
const master = 1016
/** Lists of slides by their instance. */
const lists = { slides: 0, masters: 1, notes: 2 }

/** Entries in the directories of all edits. More than a presentation has objects. */
const maxEntries = 1_000_000

/**
 * A presentation as its last edit left it: the document, the masters, each slide with its notes, and the objects. A
 * program adds what it changes at the end of the stream, and what was there before stays (MS-PPT 2.1.2). The whole
 * stream where the last edit is not found.
 */
export function livePresentation(data: Buffer, currentUser: Buffer): Buffer {
  try {
    return lastEdit(data, currentUser) ?? data
  } catch (error) {
    if (error instanceof RangeError) return data
    throw error
  }
}

function lastEdit(data: Buffer, currentUser: Buffer): Buffer | null {
  const { places, main } = directoryOf(data, currentUser)
  const recordAt = (id: number) => {
    const at = places.get(id)
    return at === undefined ? null : data.subarray(at, at + 8 + data.readUInt32LE(at + 4))
  }
  const whole = recordAt(main)
  if (whole === null || whole.readUInt16LE(2) !== document) return null
  const listed = (instance: number) =>
    [...recordsIn(whole)]
      .filter((list) => list.type === slideList && list.instance === instance)
      .flatMap(({ record }) => [...recordsIn(record)])
      .filter(({ type, record }) => type === slidePersist && record.length >= 24)
      .map(({ record }) => ({ part: recordAt(record.readUInt32LE(8)), slide: record.readUInt32LE(20) }))
  const notes = new Map<number, Buffer>()
  for (const { part } of listed(lists.notes)) if (part) notes.set(slideOf(part), part)
  const slides = listed(lists.slides).flatMap(({ part, slide }) => [part ?? emptySlide, notes.get(slide)])
  const objects = [...places.keys()].map(recordAt).filter((part) => part?.readUInt16LE(2) === storage)
  const parts = [
    whole,
    ...listed(lists.masters).map(({ part }) => part && asMaster(part)),
    ...slides,
    ...objects,
  ].filter((part) => !!part)
  // Parts that stand in each other come from no program.
  return parts.reduce((sum, part) => sum + part.length, 0) > data.length ? null : Buffer.concat(parts)
}

/** The one of titles is written as a slide. */
function asMaster(part: Buffer): Buffer {
  const copy = Buffer.from(part)
  copy.writeUInt16LE(master, 2)
  return copy
}

/** A slide without a shape. */
const emptySlide = Buffer.from([0x0f, 0, 0xee, 0x03, 0, 0, 0, 0])

/** Where the objects are by their numbers; those of later edits come first. `main` is the number of the document. */
function directoryOf(data: Buffer, currentUser: Buffer) {
  const places = new Map<number, number>()
  let main = 0
  let count = 0
  for (let at = currentUser.readUInt32LE(16); at > 0; at = data.readUInt32LE(at + 16)) {
    if (data.readUInt16LE(at + 2) !== userEdit) throw new RangeError('no edit')
    main ||= data.readUInt32LE(at + 24)
    const directory = data.readUInt32LE(at + 20)
    const end = directory + 8 + data.readUInt32LE(directory + 4)
    for (let entry = directory + 8; entry + 4 <= end; ) {
      const head = data.readUInt32LE(entry)
      entry += 4
      for (let i = 0; i < head >>> 20; i++, entry += 4) {
        const id = (head & 0xfffff) + i
        if (!places.has(id)) places.set(id, data.readUInt32LE(entry))
        if (++count > maxEntries) throw new RangeError('too many objects')
      }
    }
    if (++count > maxEntries) throw new RangeError('too many edits')
  }
  return { places, main }
}

/** The slide that notes belong to. */
function slideOf(notes: Buffer): number {
  for (const { type, record } of recordsIn(notes)) if (type === notesAtom) return record.readUInt32LE(8)
  return 0
}

/** The records in a container. */
function* recordsIn(container: Buffer): Generator<{ type: number; instance: number; record: Buffer }> {
  for (let at = 8; at + 8 <= container.length; ) {
    const record = container.subarray(at, at + 8 + container.readUInt32LE(at + 4))
    yield { type: container.readUInt16LE(at + 2), instance: container.readUInt16LE(at) >> 4, record }
    at += record.length
  }
}
