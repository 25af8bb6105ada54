const named = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content

/** The name in headers: the service writes it into the page. */
export const brand = named('brand') ?? 'svc'

/** The name of the product, for people. */
export const brandName = named('brand-name') ?? 'Multimodal Retrieval'
