import { cautiousShare, wilsonShare } from './sample-plan.js';

describe('wilsonShare', () => {
  // Published values: Newcombe (1998), Two-sided confidence intervals for the single proportion, table I.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('gives the published interval of %d in %d', (found, sampled, low, high) => {
    const share = wilsonShare(found, sampled);
    expect(share?.share).toBe(found / sampled);
    expect(share?.low).toBeCloseTo(low, 4);
    expect(share?.high).toBeCloseTo(high, 4);
  });

  it('ends at 1 where all were found', () => {
    expect(wilsonShare(20, 20)).toMatchObject({ share: 1, high: 1 });
  });

  it('says nothing of an empty sample', () => {
    expect(wilsonShare(0, 0)).toBeNull();
  });
});

describe('cautiousShare', () => {
  // The same table, method 4.
  it.each([
    [81, 263, 0.2535, 0.3682],
    [15, 148, 0.0598, 0.1644],
    [0, 20, 0, 0.2005],
    [1, 29, 0.0018, 0.1963],
  ])('gives the published interval of %d in %d', (found, sampled, low, high) => {
    const share = cautiousShare(found, sampled);
    expect(share?.share).toBe(found / sampled);
    expect(share?.low).toBeCloseTo(low, 4);
    expect(share?.high).toBeCloseTo(high, 4);
  });

  it('ends at 1 where all were found, and says nothing of an empty sample', () => {
    expect(cautiousShare(20, 20)).toMatchObject({ share: 1, high: 1 });
    expect(cautiousShare(0, 0)).toBeNull();
  });
});
