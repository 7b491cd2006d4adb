export const drops = {
  days: 'Days',
  month: 'Month',
  otherDays: 'Other days',
  lastDays: 'Last 30 days',
  numbers: 'The numbers',
  day: 'Day',
  namesThatDropped: 'Names that dropped',
  monthLabel: 'Days of the month',
  heatHint: 'Darker means more names that dropped, or are due.',
  best: 'Best of the day',
  whatHappened: 'What happened',
  pages: 'Pages',
  nextPage: 'Next page',
  ends: 'You see the first {endsAt} names of a day: <pricing>compare plans</pricing>.',
  endsForStrangers:
    'You see the first {endsAt} names of a day. An account shows more: <pricing>compare plans</pricing>.',
  timedOut:
    'There were too many events on this day to sort them in time. <search>Search the newest ' +
    'names</search>.',
  cost:
    'CSV needs an account and uses one record a name; a calendar uses one record for each name in it. ' +
    'The feed is free.',
  takeAway: 'Take it with you',
  calendar: 'Calendar (ICS)',
  allDays: 'All days (ICS)',
  feed: 'News feed (Atom)',
  csv: 'This list (CSV)',
  untilThen: 'Until then their holders can still renew them.',
  captions: {
    due: 'Names that are due',
    dropped: 'Names that dropped',
    rescued: 'Names that were rescued',
    taken: 'Names that were taken again',
  },
  none: {
    due: 'No name is due on this day. Try another list, another day, or <search>search</search>.',
    dropped: 'No name dropped on this day. Try another list, another day, or <search>search</search>.',
    rescued: 'No name was rescued on this day. Try another list, another day, or <search>search</search>.',
    taken: 'No name was taken again on this day. Try another list, another day, or <search>search</search>.',
  },
} as const;
