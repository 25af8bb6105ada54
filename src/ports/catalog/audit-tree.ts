export type { AuditTree, TreeNode } from '../../adapters/catalog/sql/audit-tree.ts'
