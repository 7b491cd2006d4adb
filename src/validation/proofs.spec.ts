import { isMadeWithAny, isSame } from './proofs.js';

it('proofs are the same only byte for byte, and of another length they are others', () => {
  const known = Buffer.from('proof');
  expect(['proof', 'proog', 'proofs', ''].map((text) => isSame(Buffer.from(text), known))).toEqual([
    ...[true, false, false, false],
  ]);
});

it('a proof is good with any of the secrets, and with none it is not', () => {
  const proofOf = (secret: string) => Buffer.from(`by ${secret}`);
  const shown = proofOf('old');
  expect(isMadeWithAny(shown, ['new', 'old'], proofOf)).toBe(true);
  expect(isMadeWithAny(shown, ['new'], proofOf)).toBe(false);
  expect(isMadeWithAny(shown, [], proofOf)).toBe(false);
});
