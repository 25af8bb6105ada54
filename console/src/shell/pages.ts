import {
  Activity,
  ChartColumn,
  Files,
  FlaskConical,
  MessageCircleQuestionMark,
  ScrollText,
  Search,
  Settings,
  Users,
} from 'lucide-react'

/** The pages of the navigation, in its order; `key` follows `g`. */
export const pages = [
  { name: 'Search', icon: Search, to: '/search', root: '/search', key: 's' },
  { name: 'Ask', icon: MessageCircleQuestionMark, to: '/ask', root: '/ask', key: 'a' },
  { name: 'Documents', icon: Files, to: '/documents', root: '/documents', key: 'd' },
  { name: 'Access', icon: Users, to: '/access/members', root: '/access', key: 'c' },
  { name: 'Audit', icon: ScrollText, to: '/audit', root: '/audit', key: 'l' },
  { name: 'Usage', icon: ChartColumn, to: '/usage', root: '/usage', key: 'u' },
  { name: 'Evaluation', icon: FlaskConical, to: '/evaluation', root: '/evaluation', key: 'e' },
  { name: 'Health', icon: Activity, to: '/health', root: '/health', key: 'h' },
  { name: 'Settings', icon: Settings, to: '/settings', root: '/settings', key: ',' },
] as const

/** The parts of the page Access, by the end of their address. */
export const accessParts = {
  members: 'Members',
  principals: 'Principals',
  grants: 'Grants',
  groups: 'Groups',
  invitations: 'Invitations',
  keys: 'Keys',
  explain: 'Explain',
} as const
