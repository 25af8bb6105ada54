export type { KeptAnswer, KeptAnswers } from '../../adapters/catalog/sql/requests.ts'
