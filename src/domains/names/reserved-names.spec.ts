import { judgeDomainName } from './domain-name.js';
import { SUFFIXES } from '../domain.js';
import { findReservedName, RESERVED_NAMES, RESERVED_NAMES_VERSION } from './reserved-names.js';

describe('the reserved names', () => {
  it('carry the day of the sources, and a source and a reason each', () => {
    expect(RESERVED_NAMES_VERSION).toMatch(/^\d{4}-\d\d-\d\d$/);
    for (const entry of RESERVED_NAMES) {
      expect(entry.source).toMatch(/https?:\/\/\S+$/);
      expect(entry.reason).not.toBe('');
    }
  });

  it('stand once each', () => {
    const labels = RESERVED_NAMES.map((entry) => entry.label);
    expect(labels).toEqual([...new Set(labels)]);
  });

  it.each(RESERVED_NAMES)('$label.au is found, and never judged free', ({ label }) => {
    expect(findReservedName(label)?.label).toBe(label);
    const judgement = judgeDomainName(`${label}.au`);
    if (judgement.ok) expect(judgement.domain.reserved?.label).toBe(label);
    else expect(judgement.message).toContain('is itself a suffix');
  });

  it('hold every suffix we serve, whatever the public suffix list becomes', () => {
    const below = SUFFIXES.filter((suffix) => suffix !== 'au').map((suffix) => suffix.replace('.au', ''));
    for (const label of below) expect(findReservedName(label)?.kind).toBe('suffix');
  });

  it.each(['coffee', 'uk', 'anzac', 'constructor', '__proto__', ''])('do not hold %j', (label) => {
    expect(findReservedName(label)).toBeNull();
  });
});
