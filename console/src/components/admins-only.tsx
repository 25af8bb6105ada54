import { Empty } from './empty.tsx'

/** In place of what only admins may see. */
export const AdminsOnly = () => (
  <Empty>Only an admin of this namespace may see this. Ask one, or choose another namespace above.</Empty>
)
