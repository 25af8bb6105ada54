/** Selections shared by several response bodies, in wire names. */

export const locatorFields = /* GraphQL */ `
  locator {
    ... on TimeRange { kind t_start_ms: tStartMs t_end_ms: tEndMs }
    ... on BoundingBox { kind page x y w h }
    ... on CharSpan { kind start end }
    ... on LineRange { kind start end }
  }`

export const contextFields = /* GraphQL */ `
  principal { principal_id: principalId namespace read_only: readOnly groups }
  active_scope: activeScope
  requested_scope: requestedScope
  effective_scopes: effectiveScopes
  allowed_scopes: allowedScopes
  perms
  folders_visible: foldersVisible
  folders_total: foldersTotal`

export const unitFields = /* GraphQL */ `
  unit_id: unitId
  external_id: externalId
  scope
  plane
  modality
  text
  doc_id: docId
  source_uri: sourceUri
  mime
  ${locatorFields}
  acl_owner: aclOwner
  acl_groups: aclGroups
  metadata
  created_at: createdAt
  updated_at: updatedAt`
