import type { Filled } from './search-form.js';

/** The visitor's question as programs ask it. */
export interface ApiSample {
  readonly language: string;
  readonly code: string;
}

export function samplesOf(baseUrl: string, filled: Filled): ApiSample[] {
  const query = new URLSearchParams(filled).toString();
  const url = `${baseUrl}/api/v1/search${query === '' ? '' : `?${query}`}`;
  return [
    { language: 'curl', code: `curl '${url}'` },
    {
      language: 'JavaScript',
      code: `const answer = await fetch('${url}');\nconst { results, total } = await answer.json();`,
    },
    {
      language: 'Python',
      code: `import requests\n\nanswer = requests.get("${baseUrl}/api/v1/search", params=${pythonOf(filled)})\nresults = answer.json()["results"]`,
    },
  ];
}

// Whatever the form takes is written the same in JSON and in Python.
function pythonOf(filled: Filled): string {
  return JSON.stringify(filled);
}
