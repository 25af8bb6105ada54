// The program's checks of its configuration would compile code, which the policy of the page forbids.
globalThis.__zod_globalConfig = { jitless: true }
const { createApiReference } = await import('scalar')

createApiReference('#reference', {
  url: '/openapi.json',
  // Nothing is loaded from another host, and nothing is sent there.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // A key stays in the memory of the tab.
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearer' },
  documentDownloadType: 'json',
  hideModels: true,
})
