import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** An Idempotency-Key as it was sent. */
export interface SentKey {
  key: string
  /** The caller's credential. It encrypts what is kept, and is itself not kept. */
  credential: string
  /** All that the key stands for: method, path, query, scope, body. */
  request: readonly (string | Uint8Array)[]
}

/** Names and encrypts what is kept under a key. Only the same credential can find and read it. */
export interface WriteKey {
  /** The digest of the request. */
  request: string
  /** The id of a part, for requests that target this namespace. */
  idOf(namespaceId: string, part: string): string
  seal(content: Uint8Array): Uint8Array
  /** Throws for content that was not sealed under this credential. */
  open(content: Uint8Array): Uint8Array
}

const algorithm = 'aes-256-gcm'
const [nonceBytes, tagBytes] = [12, 16]

export function writeKeyOf({ key, credential, request }: SentKey): WriteKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', credential, '', `idempotency/${purpose}`, 32))
  const [naming, sealing] = [derive('name'), derive('seal')]
  const digest = (parts: readonly (string | Uint8Array)[]) => {
    const hmac = createHmac('sha256', naming)
    // With their lengths: no two lists of parts are the same bytes.
    for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part)
    return hmac.digest('base64url')
  }
  return {
    request: digest(['request', ...request]),
    idOf: (namespaceId, part) => digest(['id', namespaceId, key, part]),
    seal: (content) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, sealing, nonce)
      return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
    },
    open: (content) => {
      const decipher = createDecipheriv(algorithm, sealing, content.subarray(0, nonceBytes))
      decipher.setAuthTag(content.subarray(-tagBytes))
      return Buffer.concat([decipher.update(content.subarray(nonceBytes, -tagBytes)), decipher.final()])
    },
  }
}
