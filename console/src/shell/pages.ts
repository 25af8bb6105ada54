/** The pages of the navigation, in its order; `key` follows `g`. */
export const pages = [
  { name: 'Search', to: '/search', root: '/search', key: 's' },
  { name: 'Ask', to: '/ask', root: '/ask', key: 'a' },
  { name: 'Documents', to: '/documents', root: '/documents', key: 'd' },
  { name: 'Access', to: '/access/members', root: '/access', key: 'c' },
  { name: 'Audit', to: '/audit', root: '/audit', key: 'l' },
  { name: 'Usage', to: '/usage', root: '/usage', key: 'u' },
  { name: 'Evaluation', to: '/evaluation', root: '/evaluation', key: 'e' },
  { name: 'Health', to: '/health', root: '/health', key: 'h' },
  { name: 'Settings', to: '/settings', root: '/settings', key: ',' },
] as const
