/** The name in headers and titles: the service writes it into the page. */
export const brand = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content ?? 'svc'
