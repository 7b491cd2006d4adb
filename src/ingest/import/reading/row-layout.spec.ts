import { rowLayoutOf } from './row-layout.js';

const TERMS = { now: new Date('2025-09-30T12:00:00Z'), kind: null };

function read(header: string, row: string) {
  const listing = rowLayoutOf(header.split(','), TERMS).read(row.split(','));
  return typeof listing === 'string' ? listing : { ...listing, domain: listing.domain.domain };
}

describe('a row of our own columns', () => {
  const HEADER = 'domain,wayback,first_seen,hidden';

  it('reads every column', () => {
    expect(read(HEADER, 'coffee.com.au,12,2025-09-29,true')).toEqual({
      domain: 'coffee.com.au',
      wayback: 12,
      firstSeen: '2025-09-29',
      purgeAt: null,
      isPurgeApproximate: false,
      hidden: true,
    });
  });

  it('takes columns in any order and case, and cells with white space around them', () => {
    expect(read(' First_Seen , DOMAIN', ' 2025-09-29 , Coffee.COM.au ')).toEqual({
      domain: 'coffee.com.au',
      wayback: null,
      firstSeen: '2025-09-29',
      purgeAt: null,
      isPurgeApproximate: false,
      hidden: null,
    });
  });

  it('takes an empty cell for unknown, as if the column were missing', () => {
    const unknown = {
      domain: 'coffee.au',
      wayback: null,
      firstSeen: null,
      purgeAt: null,
      isPurgeApproximate: false,
      hidden: null,
    };
    expect(read(HEADER, 'coffee.au,,,')).toEqual(unknown);
    expect(read('domain', 'coffee.au')).toEqual(unknown);
  });

  it.each([
    ['1', true],
    ['TRUE', true],
    ['yes', true],
    ['0', false],
    ['False', false],
    ['no', false],
  ])('reads hidden %s as %s', (text, expected) => {
    expect(read(HEADER, `coffee.au,,,${text}`)).toMatchObject({ hidden: expected });
  });

  it.each(['0', '2147483647'])('takes the score %s', (wayback) => {
    expect(read(HEADER, `coffee.au,${wayback},,`)).toMatchObject({ wayback: Number(wayback) });
  });

  it.each(['1986-03-05', '2024-02-29', '2025-10-01'])('takes the day %s', (day) => {
    expect(read(HEADER, `coffee.au,,${day},`)).toMatchObject({ firstSeen: day });
  });

  it.each([
    ['coffee.au', 'the row has 1 cell, the header 4'],
    ['coffee.au,1,2025-09-29,true,x', 'the row has 5 cells, the header 4'],
    [',1,,', 'domain is empty'],
    ['a.com.au,,,', 'domain has "a" as its label'],
    ['xn--bcher-kva.com.au,,,', 'IDN'],
    ['www.coffee.com.au,,,', 'domain is a sub-domain'],
    ['coffee.com,,,', 'domain ends in com'],
    ['com.au,,,', 'domain is itself a suffix'],
    ['www.au,,,', 'domain is reserved: '],
    ['coffee.au,-1,,', 'wayback must be a whole number from 0 to 2147483647, not "-1"'],
    ['coffee.au,1.5,,', 'wayback must be'],
    ['coffee.au,1e3,,', 'wayback must be'],
    ['coffee.au,2147483648,,', 'wayback must be'],
    ['coffee.au,99999999999,,', 'wayback must be'],
    ['coffee.au,many,,', 'wayback must be'],
    ['coffee.au,,2025-02-29,', 'first_seen must be an existing day as YYYY-MM-DD, not "2025-02-29"'],
    ['coffee.au,,2025-13-01,', 'first_seen must be'],
    ['coffee.au,,2025-00-10,', 'first_seen must be'],
    ['coffee.au,,2025-9-1,', 'first_seen must be'],
    ['coffee.au,,30/09/2025,', 'first_seen must be'],
    ['coffee.au,,yesterday,', 'first_seen must be'],
    ['coffee.au,,2025-10-02,', 'first_seen 2025-10-02 lies in the future'],
    ['coffee.au,,1986-03-04,', 'first_seen 1986-03-04 is before .au existed'],
    ['coffee.au,,,maybe', 'hidden must be true or false, not "maybe"'],
  ])('rejects %s', (row, reason) => {
    expect(read(HEADER, row)).toContain(reason);
  });

  it('keeps control characters and long text out of a reason', () => {
    const reason = read(HEADER, `coffee.au,\u001b[31m${'9'.repeat(1_000)},,`);
    expect(reason).toHaveLength('wayback must be a whole number from 0 to 2147483647, not ""'.length + 61);
    expect(reason).not.toContain('\u001b');
  });
});

describe("a row of auDA's drop list", () => {
  const HEADER = 'Date,Eligible Purge Time,Domain Name';

  it.each(['2025-09-29', '29/09/2025'])(
    'takes the date %s for first_seen, and when the name is purged from its time',
    (date) => {
      expect(read(HEADER, `${date},15:04:50,coffee.com.au`)).toEqual({
        domain: 'coffee.com.au',
        wayback: null,
        firstSeen: '2025-09-29',
        purgeAt: new Date('2025-09-30T03:30:00Z'),
        isPurgeApproximate: false,
        hidden: null,
      });
    },
  );

  it.each([
    ['2025-09-30,02:59:59,coffee.au', 'coffee.au'],
    ['2025-09-30,03:00:00,coffee.au', 'coffee.au'],
    ['2025-10-02,01:00:00,coffee.au', 'coffee.au'],
    ['2025-10-03,01:00:00,coffee.au', 'date 2025-10-03 lies in the future'],
    ['2025-10-09,01:00:00,coffee.au', 'date 2025-10-09 lies in the future'],
    ['2025-02-30,01:00:00,coffee.au', 'date must be an existing day'],
    ['12/16/2021,01:00:00,coffee.au', 'date must be an existing day'],
    ['2025-09-29,25:00:00,coffee.au', 'eligible purge time must be HH:MM:SS'],
    ['2025-09-29,,coffee.au', 'eligible purge time must be HH:MM:SS'],
    ['2025-09-29,01:00:00,gov.au', 'domain is itself a suffix'],
  ])('judges %s', (row, expected) => {
    const listing = read(HEADER, row);
    if (typeof listing === 'string') expect(listing).toContain(expected);
    else expect(listing.domain).toBe(expected);
  });
});

describe('a file', () => {
  it.each([
    ['Date,Eligible Purge Time,Domain Name', 'drops'],
    ['domain', 'names'],
    ['domain,first_seen', 'names'],
    ['hidden,wayback,domain,first_seen', 'names'],
    ['domain,wayback', 'scores'],
    ['domain,hidden', 'scores'],
  ])('with the header %s is about %s', (header, subject) => {
    expect(rowLayoutOf(header.split(','), TERMS).subject).toBe(subject);
  });
});

describe('a header', () => {
  it.each([
    ['name,wayback', 'The first row must be a header with a column "domain"; it is "name,wayback".'],
    ['coffee.com.au,12', 'must be a header with a column "domain"'],
    [
      'domain,way_back,colour',
      'unknown columns: "way_back", "colour"; the columns are domain, wayback, first_seen, hidden',
    ],
    ['domain,', 'unknown columns: ""'],
    ['domain,wayback,domain', 'has the column "domain" twice'],
    ['domain;wayback', 'not separated by commas'],
    ['Date,Domain Name', 'must be a header with a column "domain"'],
  ])('%s is refused', (header, message) => {
    expect(() => rowLayoutOf(header.split(','), TERMS)).toThrow(message);
  });
});
