const COUNT = { type: 'integer', minimum: 0 } as const;

/** The headers of rate-headers.ts, as the OpenAPI documents describe them. */
export const RATE_RESPONSE_HEADERS = {
  'RateLimit-Policy': {
    description:
      'Every limit of the caller: so much (q) in a window of w seconds. In records, but where qu says requests.',
    schema: { type: 'string' as const },
    example: '"demo";q=5;w=60, "demo-requests";q=60;w=60;qu="requests"',
  },
  RateLimit: {
    description: 'What is left of each (r), and seconds to its next window (t).',
    schema: { type: 'string' as const },
    example: '"demo";r=4;t=42, "demo-requests";r=57;t=42',
  },
  'X-RateLimit-Limit': { description: 'Records a minute.', schema: COUNT },
  'X-RateLimit-Remaining': {
    description: 'Records left now: the least that any window leaves.',
    schema: COUNT,
  },
  'X-RateLimit-Reset': { description: 'Seconds to the next minute.', schema: COUNT },
};
