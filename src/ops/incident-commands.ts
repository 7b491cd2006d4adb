import { change, id, look, moment, optional, text } from './command.js';

const INCIDENT = { id: id('The id of an incident.', 'an incident') };
const TITLE = text('What is wrong, in a few words.', {
  rule: 'must be 1 to 120 characters',
  maxLength: 120,
  example: 'The registry answers slowly',
});
const WORDS = text('What people notice, and what you are doing.', {
  rule: 'must be 1 to 2000 characters',
  maxLength: 2_000,
  example: 'Checks take up to 20 s. No wrong answers.',
});

/** The commands about incidents, for the table of all commands. */
export const INCIDENT_COMMANDS = {
  listIncidents: look('incidents', 'GET incidents', 'Incidents', {
    summary: 'Incidents on the status page, the newest first',
    run: ({ incidents }) => incidents.list(),
  }),
  showIncident: look('incidents show', 'GET incidents/:id', 'IncidentDetails', {
    summary: 'An incident',
    arguments: INCIDENT,
    failures: ['not_found'],
    run: ({ incidents }, values) => incidents.show(values.id),
  }),
  openIncident: change('incidents open', 'POST incidents', 'incident.open', 'IncidentDetails', {
    makes: 'incidents',
    summary: 'Write an incident on the status page',
    description: 'The public sees title and text; the reason is for the audit log alone.',
    arguments: {
      title: TITLE,
      words: WORDS,
      began_at: optional(moment('When it began; without it, now.', '2026-11-20T04:00:00Z')),
    },
    run: ({ incidents }, values, command) => incidents.open(values, command),
  }),
  updateIncident: change(
    'incidents update',
    'POST incidents/:id/update',
    'incident.update',
    'IncidentDetails',
    {
      summary: 'Change the text of an incident',
      description: 'What is left out stays as it is.',
      arguments: { ...INCIDENT, title: optional(TITLE), words: optional(WORDS) },
      failures: ['not_found'],
      run: ({ incidents }, { id: asked, ...values }, command) => incidents.change(asked, values, command),
    },
  ),
  endIncident: change('incidents end', 'POST incidents/:id/end', 'incident.end', 'IncidentDetails', {
    summary: 'Say that an incident is over',
    arguments: {
      ...INCIDENT,
      words: optional(WORDS),
      ended_at: optional(moment('When it ended; without it, now.', '2026-11-20T04:40:00Z')),
    },
    failures: ['not_found'],
    run: ({ incidents }, { id: asked, ...values }, command) => incidents.end(asked, values, command),
  }),
  removeIncident: change('incidents remove', 'POST incidents/:id/remove', 'incident.remove', 'Done', {
    summary: 'Remove an incident that was none',
    arguments: INCIDENT,
    failures: ['not_found'],
    run: ({ incidents }, values, command) => incidents.remove(values.id, command),
    print: (_, values) => `${values.id} is removed\n`,
  }),
} as const;
