// The rules that are judged by mutants: which files hold them, and which specs speak for them. A spec is run for the files of its
// own area only: nearly all others import the tier table, and would be run for each of its numbers.
export const AREAS = {
  budget: {
    mutate: [
      'src/access/rate-limit/budget/{budget-window,metered-error,spent-budgets}.ts',
      'src/access/rate-limit/{rate-headers,rate.dto}.ts',
    ],
    specs: /^rate-limit\//,
  },
  registry: {
    mutate: [
      'src/registry/{answer,canaries}.ts',
      'src/registry/availability-service.ts',
      'src/registry/{rdap-answer,rdap-error,rdap-lookup,rdap-wordings}.ts',
      'src/validation/formats.ts',
      'src/domains/lifecycle/{answer-moves,free-to-take,registry-state}.ts',
      'src/domains/freshness/rate-table.ts',
    ],
    specs: /^(registry|validation|domains\/lifecycle)\/|^domains\/freshness\/rate-table/,
  },
  cursors: {
    mutate: [
      'src/domains/{calendar-date,page-cursor}.ts',
      'src/domains/feed/feed-cursor.ts',
      'src/api/search/search.module.ts',
      'src/api/drops/drops.module.ts',
    ],
    specs: /^(search|drops|domains\/feed)\/|^domains\/[^/]+$/,
  },
  tiers: {
    mutate: [
      'src/access/tiers/{tiers,tier-overrides,tier-table,tier.dto,tiers.module}.ts',
      'src/access/tier-gate.ts',
    ],
    specs: /^tiers\/|^auth\/tier-gate/,
  },
  names: {
    mutate: [
      'src/domains/name/{domain-name,name-rules,registrability}.ts',
      'src/domains/name/rules/{label-fault,text-fault}.ts',
    ],
    specs: /^domains\/names\//,
  },
  // The data on names, for which thousands of made-up names need not be judged each time.
  labels: {
    mutate: ['src/domains/name/rules/{au-suffixes,name-rule,reserved-labels,restricted-words}.ts'],
    specs: /^domains\/names\/(name-rules|domain-name|rules\/.*)\.spec/,
  },
  webhooks: {
    mutate: [
      'src/notify/webhooks/receiver-address.ts',
      'src/notify/webhooks/webhook-message.ts',
      'src/validation/sealing.ts',
      'src/notify/webhooks/webhook-deliverer.ts',
      'src/notify/webhooks/event-deliveries.ts',
    ],
    specs: /^webhooks\//,
  },
};
