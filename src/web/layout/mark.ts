/** The bower with its one blue find, in a square of 32. Lines are thick enough to be told apart at 16 px. */
const BOWER =
  '<g fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round"><path d="M6 28C4 17 7 8 13 4"/><path d="M11 28c-1-8 0-14 3-18"/><path d="M26 28c2-11-1-20-7-24"/><path d="M21 28c1-8 0-14-3-18"/></g>';

/** Inside a page, in the page's colours. */
export const MARK = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">${BOWER}<circle class="find" cx="16" cy="24.5" r="3.6"/></svg>`;

/** As a file of its own, which no style sheet reaches. */
export const MARK_FILE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>svg{color:#161a2e}circle{fill:#2c3fb1}@media(prefers-color-scheme:dark){svg{color:#eef0fa}circle{fill:#98a8ff}}</style>${BOWER}<circle cx="16" cy="24.5" r="3.6"/></svg>
`;
