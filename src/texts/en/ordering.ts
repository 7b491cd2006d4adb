/** The form that orders a name, the page of an order, and registrants. */
export const ordering = {
  title: 'Register {domain}',
  checkedAgain: 'We check once more when you confirm.',
  holder: '1. Who will hold the name',
  heldBy: '1. Who holds the name',
  editHolders: 'Edit registrants',
  noHolder:
    'Names are registered for a registrant of yours with an ABN or ACN: <registrants>add one first</registrants>.',
  eligibility: '2. Eligibility for .{tld}',
  verdicts: {
    eligible: 'May register it',
    not_eligible: 'May not register it',
    unknown: 'Not known',
  },
  verdictHint: '{rule} Source: {source}, {day}.',
  unknownHint:
    'No source decides it. You warrant below that the registrant may have the name; if not, it can be deleted.',
  term: '3. Term',
  termLabel: 'Term',
  oneYear: '1 year',
  years: '{count} years',
  showPrice: 'Show the price',
  servers: '4. Settings',
  serversLabel: 'Your own name servers, if you have them',
  serversHint:
    'Two to nine, such as ns1.example.net ns2.example.net. Left empty, the name is parked for now.',
  parked: 'Parked for now',
  nameServers: 'Name servers',
  setServers: 'Set name servers',
  setServersHint: 'Two to nine, such as ns1.example.net ns2.example.net. Left empty, the name is parked.',
  serversWished:
    'We asked the registrar to set: {servers}. It gave no clear answer, so we do not know yet; we go on asking.',
  accept: '5. What you accept',
  acceptRenewal: '4. What you accept',
  price: 'Price',
  registration: '{domain}, {term}',
  fee: 'Our fee',
  gst: 'GST',
  total: 'Total',
  balance: 'Your balance',
  after: 'After this',
  short: 'Your balance is {missing} short. <balance>Top it up</balance>, then come back to this page.',
  topUp: 'Top up balance',
  amount: 'Amount (A$)',
  topUpButton: 'Top up',
  topUpLead: 'You pay {amount} on the page of the card provider.',
  pay: 'Go on to the card provider',
  notNow: 'Not now',
  topUpHint:
    'Your balance grows once the provider has confirmed the payment. Returning from its page is no proof of one.',
  soldBy: 'Sold through {registrar}. The price holds until {time}.',
  renewalPrice: 'Renewal after the term: {price} a year at today’s price.',
  renewsItself: 'Renew from my balance',
  renewsItselfHint:
    'A year at a time, 30 days before its end, for {price} at most, on the terms below. We email you before. Once ' +
    'the name is registered, turn it off at any time on the page of the order.',
  isDrop:
    'This name has yet to drop. Your order waits for it, with no promise of a catch: others have sessions ' +
    'of their own at the registry. If another gets it, the money is free again.',
  register: 'Register for {price}',
  renew: 'Renew for {term}, {price}',
  final:
    'The registry is asked once more before money is set aside. If it refuses, the money is free again at ' +
    'once. A registration is final: its registrar takes no name back.',
  finalAfter:
    'You can give the name back within {hours} of its registration; after that it is final. The registry is asked ' +
    'once more before money is set aside, and if it refuses, the money is free again at once.',
  cannot: 'This cannot be ordered now',
  link: 'You can register it elsewhere: <name>see its page</name>.',
  order: 'Order {number}',
  allOrders: '<orders>Orders</orders> / {number}',
  states: {
    awaiting_approval: {
      words: 'A person of the account has to approve it.',
      chip: 'Waits for you',
      title: 'Approve {domain}?',
      lead: 'A program of your account ordered it, or you began to. No money is set aside until you approve it.',
    },
    approved: {
      words: 'Approved; the money is set aside.',
      chip: 'Approved',
      title: 'Your order of {domain} is on its way',
      lead: 'The money is set aside. The order is sent to the registrar as soon as its turn comes.',
    },
    waiting_for_drop: {
      words: 'Approved; it is sent after the name has dropped, with no promise of a catch.',
      chip: 'Waits for the drop',
      title: '{domain} has yet to drop',
      lead:
        'The money is set aside. We send the order after the name has dropped, with no promise of a catch. If ' +
        'another gets it, the money is free again.',
    },
    submitting: {
      words: 'Being sent to the registrar.',
      chip: 'Being sent',
      title: 'Your order of {domain} is being sent',
      lead: 'The registrar has it in a moment. Please don’t order the name elsewhere until we know.',
    },
    pending_registry: {
      words: 'Accepted by the registrar; the registry decides.',
      chip: 'The registry decides',
      title: 'The registry decides about {domain}',
      lead: 'The registrar accepted the order. The registry answers later.',
    },
    unknown: {
      words: 'We do not know yet; we are asking the registrar.',
      chip: 'We don’t know yet',
      title: 'We’re asking the registrar about {domain}',
      lead:
        'We sent your order and got no clear answer. The name may already be yours. Please don’t order it ' +
        'again elsewhere until we know.',
    },
    needs_operator: {
      words: 'We could not find out; a person is looking at it.',
      chip: 'We’re looking into it',
      title: 'We could not find out about {domain} yet',
      lead:
        'The registrar has given no answer. A person looks at it now, and we go on asking. Your money stays ' +
        'set aside until we know.',
    },
    registered: {
      words: 'Registered.',
      chip: 'Registered',
      title: '{domain} is yours',
      lead: 'The registry confirmed it.',
    },
    failed: {
      words: 'Not registered; the money is back.',
      chip: 'Refunded',
      title: '{domain} was not registered',
      lead: 'The order ended without the name, and {price} is free on your balance again.',
    },
    lost: {
      words: 'The name went to another, or was kept; the money is back.',
      chip: 'Taken',
      title: 'We did not get {domain}',
      lead: 'Someone was faster, or its holder kept it. {price} is free on your balance again.',
    },
    cancelled: {
      words: 'Cancelled; no money is set aside.',
      chip: 'Cancelled',
      title: 'The order of {domain} is cancelled',
      lead: 'Nothing was registered, and no money is set aside for it.',
    },
  },
  /** The same of an order that renews a name: what differs. */
  renewals: {
    awaiting_approval: {
      title: 'Renew {domain}?',
      lead:
        'A program of your account ordered the renewal, or you began to. No money is set aside until you ' +
        'approve it.',
    },
    approved: {
      title: 'The renewal of {domain} is on its way',
      lead: 'The money is set aside. The renewal is sent to the registrar as soon as its turn comes.',
    },
    // No renewal waits for a drop.
    waiting_for_drop: {},
    submitting: {
      title: 'The renewal of {domain} is being sent',
      lead: 'The registrar has it in a moment.',
    },
    pending_registry: {
      title: 'The registry decides about the renewal of {domain}',
      lead: 'The registrar accepted the renewal. The registry answers later.',
    },
    unknown: {
      title: 'We’re asking the registrar about the renewal of {domain}',
      lead: 'We sent the renewal and got no clear answer. The name may already be renewed.',
    },
    needs_operator: { title: 'We could not find out about the renewal of {domain} yet' },
    registered: {
      words: 'Renewed.',
      chip: 'Renewed',
      title: '{domain} is renewed',
      lead: 'The registrar confirmed it.',
    },
    failed: {
      words: 'Not renewed; the money is back.',
      title: '{domain} was not renewed',
      lead: 'The end of its registration stays, and {price} is free on your balance again.',
    },
    lost: {
      words: 'Not renewed, as another has the name; the money is back.',
      title: '{domain} was not renewed',
      lead: 'Another has the name now. {price} is free on your balance again.',
    },
    cancelled: {
      title: 'The renewal of {domain} is cancelled',
      lead: 'Nothing was renewed, and no money is set aside for it.',
    },
  },
  /** Of an approved order that is not sent now; the reason precedes the lead. */
  stopped: {
    words: 'Approved, but not sent while ordering is stopped; the money stays set aside.',
    chip: 'Ordering is stopped',
    title: 'Your order of {domain} waits',
    renewal: 'The renewal of {domain} waits',
    lead:
      '{reason} Nothing is sent for now. Your order keeps its place, and the money stays set aside. If it is not ' +
      'sent by {lapses}, it is cancelled and the money is free again. You can cancel it now as well.',
  },
  /** Of a registered name whose customer gives it back. */
  beingGivenBack: {
    words: 'Registered, and being given back to the registrar.',
    chip: 'Being given back',
    title: '{domain} is being given back',
    lead: 'We asked the registrar to take it back. Once it has, {price} is in your balance again.',
  },
  givenBack: {
    words: 'Given back; the price is in the balance again.',
    chip: 'Given back',
    title: '{domain} was given back',
    lead: 'The name is no longer yours, and {price} is in your balance again.',
  },
  takenMeanwhile: {
    words: 'It was being given back, and another has the name; a person decides about the money.',
    chip: 'We’re looking into it',
    title: '{domain} was being given back',
    lead:
      'Another has the name now. A person looks at whether the registrar gave the fee back, and decides about ' +
      'your money.',
  },
  executedLate: '{domain} was registered after all',
  renewedLate: '{domain} was renewed after all',
  progress: 'Progress',
  placed: 'Ordered',
  approved: '{price} set aside from your balance',
  approvedHint: '{time}. The registry had said that the name was free.',
  approvedDrop: '{time}. The name has yet to drop.',
  approvedRenewal: '{time}. The end of the registration moves once the registrar confirms it.',
  sent: 'Order sent to {registrar}',
  sentHint: '{time}, reference {reference}',
  noAnswer: 'No clear answer',
  noAnswerHint: 'We ask with the same reference, so you can’t be charged twice.',
  asking: 'Asking again',
  askedHint: 'asked {count} times, last {time}; after a day a person looks at it',
  askingHint: 'asked {count} times, last {time}, next {next}; after a day a person looks at it',
  foundLate: 'Found registered at {registrar}',
  foundRenewed: 'Found renewed at {registrar}',
  end: 'Registered, or money back',
  endOfRenewal: 'Renewed, or money back',
  close: 'You can close this page. We email you as soon as we know.',
  setAside: 'Set aside',
  paid: 'Paid',
  registrant: 'Registrant',
  searchSimilar: 'Similar names',
  seeName: 'The page of the name',
  stuck: 'Stuck? <contact>Write to us</contact> and mention order {number}.',
  registrants: 'Registrants',
  registrantsLead:
    'Who holds the names that you register: always you or your organisation, never us. Kept encrypted.',
  noRegistrants: 'No registrants yet.',
  unreadable:
    'The details of the registrant that you added on {added} cannot be read now. Enter them again, or remove the ' +
    'registrant. If you wait, they return once the operator has restored the key.',
  enterAgain: 'Enter the details again',
  unreadableHolders:
    'The details of a registrant of yours cannot be read now. <registrants>Enter them again, or remove it</registrants>.',
  unreadableName: 'details cannot be read now',
  legalName: 'Legal name',
  legalNameHint: 'Exactly as on the Australian Business Register.',
  number: 'ABN or ACN',
  numberHint: 'Eleven or nine digits. Without one, register names at a registrar by the link on their page.',
  type: 'Kind of holder',
  contactName: 'Contact',
  email: 'Email',
  phone: 'Telephone',
  street: 'Street',
  street2: 'Street, second line',
  city: 'Suburb or city',
  state: 'State or territory',
  postcode: 'Postcode',
  address: 'Address',
  addRegistrant: 'Add a registrant',
  change: 'Change',
  remove: 'Remove',
  save: 'Save',
  keepsOrders: 'Orders keep the registrant as it was when they were placed.',
} as const;
