import { Eta } from 'eta';

/** Escapes what it writes; every value goes through it. */
export const eta = new Eta({ autoEscape: true });

/** How a page without scripts begins: with its `heading` and its `summary`. */
export const PAGE_TOP = `<!doctype html>
<html lang="en-AU">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="robots" content="noindex">
  <title><%= it.heading %> · Bowerbird</title>
  <style>
    :root { color-scheme: light dark }
    body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2.5rem auto; padding: 0 1rem }
    h1 { overflow-wrap: anywhere; line-height: 1.2 }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.5rem }
    dt { font-weight: 600 }
    dd { margin: 0 }
    th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0 }
  </style>
</head>
<body>
  <main>
    <h1><%= it.heading %></h1>
    <p><%= it.summary %></p>
`;
