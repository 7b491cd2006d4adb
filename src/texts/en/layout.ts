export const layout = {
  dropsFeed: 'Dropped .au names, day by day',
  incidentsFeed: 'Incidents',
  skip: 'Skip to the content',
  menu: 'Menu',
  mainMenu: 'Main',
  account: 'Account',
  signIn: 'Sign in',
  sandbox: 'Sandbox',
  sandboxNote: 'Sandbox: the registry behind these pages is invented, and so are its answers.',
  footNote:
    'Times are Australian Eastern Standard Time (AEST, UTC+10). Bowerbird is independent of auDA and of ' +
    'the .au registry.',
  tryAgainIn: 'Try again in {waitSeconds} s',
  tryAgain: 'Try again',
  lookAt: 'Look at {registrable}',
  goBack: 'Go back',
  makeAccount: 'Make an account',
  apiDocs: 'API docs',
  requestId: 'If this happens again, send the operator this number: <code>{requestId}</code>',
  oneMoment: 'One moment',
  workLead:
    'We’ve had many requests from your network ({network}) in the last ten minutes. Your browser now solves ' +
    'a small task, and then the page opens. Without JavaScript it opens in {waitSeconds} seconds. Either ' +
    'way your browser has to accept a cookie.',
  openPage: 'Open the page',
  workHint: 'People who are signed in are not asked.',
  searchLabel: 'Words, or a full name',
  searchHint: 'Words or full name',
  search: 'Search',
  keySearch: '<kbd>/</kbd> search',
  keyMove: '<kbd>J</kbd> <kbd>K</kbd> move',
  keyOpen: '<kbd>O</kbd> open',
  keyShortlist: '<kbd>S</kbd> shortlist',
  keyCheck: '<kbd>C</kbd> check now',
  keyAll: '<kbd>?</kbd> all keys',
  pictureAlt: 'Bowerbird: good .au names that someone let go',
} as const;
