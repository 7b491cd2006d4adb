/** What a list says that is empty because the time cap struck: it is no answer to the question. */
export const NOTHING_KNOWN =
  'Nothing is known: the time was over before the first name was found. Ask again, or narrow the search.';
