import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/runs.js';
import { judgeDomainName } from './domain-name.js';
import { SUFFIXES } from '../schema/domain.js';

// Few characters, so that hyphens, dots and suffixes meet often.
const letter = fc.constantFrom(...'ab19-');
const label = fc.string({ unit: letter, minLength: 0, maxLength: 66 });
const suffix = fc.constantFrom(...SUFFIXES);
const nearlyName = fc
  .tuple(
    fc.array(label, { maxLength: 3 }),
    fc.oneof(suffix, fc.constantFrom('gov.au', 'vic.au', 'csiro.au', 'com', 'co.uk')),
  )
  .map(([labels, end]) => [...labels, end].join('.'));
const punctuated = fc.string({
  unit: fc.constantFrom(...'a.@:/?#[]\\_*% \t\0\u3002\u212a\u202e', 'com', '.au', 'http://', '1'),
});
const anyText = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), punctuated, nearlyName);

/** The rules for a label, written a second time in the plainest way. */
function keepsTheRules(text: string): boolean {
  const characters = [...text];
  return (
    characters.length >= 2 &&
    characters.length <= 63 &&
    characters.every((character) => 'abcdefghijklmnopqrstuvwxyz0123456789-'.includes(character)) &&
    characters[0] !== '-' &&
    characters.at(-1) !== '-' &&
    !(characters[2] === '-' && characters[3] === '-')
  );
}

describe('for any text', () => {
  it('a judgement is given, and what is accepted keeps every rule', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const judgement = judgeDomainName(text);
        if (!judgement.ok) return;
        const { domain, name, tld } = judgement.domain;
        expect(SUFFIXES).toContain(tld);
        expect(domain).toBe(`${name}.${tld}`);
        expect(keepsTheRules(name)).toBe(true);
        expect(domain).toBe(text.trim().toLowerCase().replace(/\.$/, ''));
      }),
      { numRuns: 3_000 },
    );
  });

  it('a refusal is short and printable, and the name it offers can be registered', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const judgement = judgeDomainName(text);
        if (judgement.ok) return;
        expect(judgement.message.length).toBeLessThan(300);
        expect(judgement.message).toMatch(/^domain [a-z][^\p{C}\p{Zl}\p{Zp}]+$/u);
        if (judgement.registrable === null) return;
        expect(judgement.message).toContain(judgement.registrable);
        expect(judgeDomainName(judgement.registrable)).toMatchObject({
          ok: true,
          domain: { domain: judgement.registrable, reserved: null },
        });
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('for any label under a suffix we serve', () => {
  it('the rules alone decide', () => {
    fc.assert(
      fc.property(label, suffix, (name, tld) => {
        expect(judgeDomainName(`${name}.${tld}`).ok).toBe(keepsTheRules(name));
      }),
      { numRuns: 3_000 },
    );
  });

  const validLabel = label.filter(keepsTheRules);
  const capitals = fc.infiniteStream(fc.boolean());
  const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\r\n', '\u00a0', '\ufeff'), maxLength: 5 });

  it('white space around it, capitals and one trailing dot change nothing', () => {
    fc.assert(
      fc.property(
        validLabel,
        suffix,
        capitals,
        space,
        space,
        fc.boolean(),
        (name, tld, upper, before, after, dot) => {
          const plain = `${name}.${tld}`;
          const noisy = [...plain].map((c) => (upper.next().value ? c.toUpperCase() : c)).join('');
          expect(judgeDomainName(`${before}${noisy}${dot ? '.' : ''}${after}`)).toEqual(
            judgeDomainName(plain),
          );
        },
      ),
    );
  });

  it('anything put around it as a URL, an e-mail address or a sub-domain still yields it', () => {
    fc.assert(
      fc.property(validLabel, suffix, (name, tld) => {
        const domain = `${name}.${tld}`;
        for (const text of [
          `https://${domain}/x`,
          `me@${domain}`,
          `www.${domain}`,
          `${domain}:80`,
          `${domain}?x`,
        ])
          expect(judgeDomainName(text)).toMatchObject({ ok: false, registrable: domain });
      }),
    );
  });
});

describe('a very long text', () => {
  it.each([':', '@', '.', 'a.', ':@', '[', '\u3002', 'http://', '-', ' ', '\u{1f998}'])(
    'of %j is refused without repeating it',
    (unit) => {
      for (const length of [254, 2_048, 10_240, 1_000_000]) {
        const judgement = judgeDomainName(unit.repeat(length / unit.length));
        expect(judgement).toMatchObject({ ok: false, registrable: null });
        if (!judgement.ok) expect(judgement.message.length).toBeLessThan(300);
      }
    },
  );
});
