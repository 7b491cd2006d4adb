export const orders = {
  balance: 'Balance',
  setAside: 'Set aside',
  free: 'Free',
  owed: 'Owed after a disputed payment',
  byPrograms: 'Orders by programs',
  orders: 'Orders',
  order: 'Order',
  name: 'Name',
  term: 'Term',
  price: 'Price with GST',
  state: 'State',
  placed: 'Placed',
  none: 'No orders yet. Order a name on its page; what your programs order waits for you here.',
  statement: 'Statement',
  when: 'When',
  what: 'What',
  amount: 'Amount',
  balanceAfter: 'Balance after it',
  receipt: 'Receipt',
  noMovements: 'No movements yet.',
  /** Links between the pages of the two lists. */
  pages: {
    orders: { older: 'Older orders', newest: 'Newest orders' },
    movements: { older: 'Older movements', newest: 'Newest movements' },
  },
  refund: 'Have {amount} refunded',
  refundHint: 'To the cards that paid it, within a few days. What is set aside for orders stays.',
  refundRest: '{amount} came from no card: spend it, or <contact>write to us</contact> to have it paid out.',
  noRefund: 'Nothing is left to refund.',
  noOlder: 'Nothing older.',
  statementCsv: '<csv>Download the statement</csv> (CSV).',
  registrar: 'Registrar of record',
  reason: 'Reason',
  until: 'Registered until',
  lapses: 'Lapses',
  accept: 'Accept and approve',
  acceptHint:
    'The money is set aside from your balance at once, and paid when the registrar has confirmed the order.',
  approve: 'Approve for {price}',
  approveByPasskey: 'Approve with a passkey',
  cancel: 'Cancel the order',
  giveBack: 'Give the name back',
  cancelHint: 'Nothing was sent yet. What was set aside is free again at once.',
  giveBackHint:
    'The registrar takes the name back until {until}. The price is in your balance again once it has.',
  renewal: 'Renewal',
  renews: 'It is renewed by itself 30 days before its end, for {price} a year at most.',
  renewsOnce: 'By itself once it is registered, for {price} a year at most',
  renewNow: 'Renew it now',
  renewNoMore: 'Do not renew it by itself',
  renewItself: 'Renew it by itself, for {price} a year at most',
  renewNoPrice: 'The registrar does not say now what a renewal costs. Please look again later.',
  renewHint:
    'From your balance, 30 days before its end, or within an hour if that day has passed. At a higher price or ' +
    'on changed agreements we do not renew, and tell you.',
  /** Of a name that has expired. */
  renewable: 'Its registration ended on {end}. It can be renewed until {until}.',
  lastTry: 'The last try: {reason}.',
  renewsNow: 'We try to renew it each day until then, for {price} a year at most.',
  /** In the statement: the kinds of movements, and what one is. */
  movements: {
    top_up: 'Top-up by card',
    refund: 'Refund to card',
    refund_failed: 'Refund to card failed',
    dispute: 'Disputed card payment',
    dispute_won: 'Dispute won',
    settlement: 'Debt paid from the balance',
    credit: 'Credit',
    registration: 'Registration',
    renewal: 'Renewal',
    registration_cancelled: 'Registration cancelled',
    registrar_funds: 'Paid to a registrar',
  },
  booked: {
    byCard: 'By card',
    playMoney: 'Play money',
    toCard: 'To the card',
    cameBack: 'Came back',
    byOperator: 'By the operator',
    writtenOff: 'Paid out or written off by the operator',
    topUp: 'Top-up of your balance',
    name: '{domain}, {term}',
  },
  /** Why an order ended, or waits. */
  reasons: {
    cancelled: 'cancelled by its customer',
    beingGivenBack: 'being given back to the registrar',
    givenBack: 'given back by its customer',
    takenAfterwards: 'given back by its customer; another has the name since',
    notGivenBack: 'the registrar did not cancel it: {reason}',
    serversRefused: 'the registrar did not set the name servers: {reason}',
    takenMeanwhile: 'it was being given back, and another has the name; a person decides about the money',
    priceChanged: 'the price changed',
    notApproved: 'it was not approved: {reason}',
    lapsed: 'its approval lapsed',
    overtaken: 'another order got the name',
    lostOrKept: 'the name went to another, or was kept',
    notRegistered: 'the name is not registered here any more',
    renewedBefore: 'the registrar has the name until a later day already',
    lost: 'the name went to another',
    noAnswer: 'no answer for a day',
    unproven: 'the registrar has the name for us, with another contact and password than this order gave it',
    neverExecuted: 'the registrar never executed the order',
    registryRefused: 'the registry refused it',
    settled: 'settled by evidence',
    released: 'released by an operator',
    notRenewed: 'it was not renewed by itself: {reason}; it is tried again each day until {until}',
    executedLate:
      '{registrar} registered the name after this order had ended: found on {day}. You were charged nothing. The ' +
      'registration is cancelled there, or, if you write that you want to keep it, paid from your balance.',
    renewedLate:
      '{registrar} renewed the name after this order had ended: found on {day}. You were charged nothing. The ' +
      'renewal is cancelled there, or, if you write that you want to keep it, paid from your balance.',
    kept: 'executed late, and kept as its customer wished',
  },
  /** Why no orders are taken. */
  stops: {
    ledger: 'A balance of the ledger differs from its entries.',
    funds: 'The account at the registrar is short.',
    credentials: 'The registrar refuses our credentials.',
    restored: 'The database was restored from a backup and is not reconciled with the registrar.',
    operator: 'An operator stopped ordering.',
  },
  /** Why an account orders nothing. */
  frozen: 'A card payment of this account is disputed.',
  /** Added to `funds`, for each registrar that has too little. */
  short: '{registrar} has {there} cents of ours; {needed} are needed.',
  nothingHeld: 'Nothing was held.',
  /** Why an order is past the state in which something can be done. */
  closed: {
    cancel: '{state} The order cannot be cancelled any more.',
    giveBackUntil: 'The name could be given back until {until}; there is no refund now',
    noGiveBack: 'The name is registered; its registrar takes none back',
    approve: '{state} Place a new order.',
    terms: 'The order is no longer what this page showed; read it again',
    needsNoApproval: '{state} The order needs no approval.',
    unreadable:
      'Its registrant can no longer be read. Save the registrant again and place a new order; to renew a name, ' +
      'write to the operator. Nothing was held.',
    proof: 'This proof was used, is too old, or the order has changed. Read the order again.',
    notRegistered: '{state} Only the order that registered a name can be renewed.',
    noServers: '{state} Only a registered name has name servers.',
    serversOfRenewal: 'This order renews a name: set its name servers with the order that registered it',
    serversElsewhere:
      '{registrar} takes no name servers from here: write to us which ones you want, and we have them set there.',
    serversNotOurs:
      'The registrar does not have the name for this order any more, or not for sure: write to the operator. Nothing ' +
      'was changed.',
    notOurs:
      'The registrar does not have the name for this order any more: it was deleted, or went to another registrar. It ' +
      'cannot be renewed here. Nothing was held.',
    unproven:
      'The registrar has the name with another contact and password than this order gave it, so it may be of another ' +
      'order: the operator has to compare them. Nothing was held.',
    renewedBefore:
      'The registrar has the name until {until} already, which no order here has paid for: write to the operator. ' +
      'Nothing was held.',
    renewing: 'Order {number} renews the name already; wait for its end, or cancel it. Nothing was held.',
    renewalTime: 'The registry renews the name from {from} to {to}; ask for a quote then',
    agreements: 'the agreements have changed since the consent',
    ended: '{reason}',
    nothingToDecide: '{state} There is nothing to decide.',
    nothingLate: 'Nothing of this order is to be paid: it was not executed late, or it was cancelled there.',
    ledger: 'The ledger does not add up; `orders` says where.',
    notReconciled:
      'Not all names of {registrars} were compared since the restore; `registrars` shows when they were.',
    ownCredit: 'Another operator than the one who asked for it has to approve it.',
  },
  /** Why something is refused, and what to change. */
  refused: {
    notOrderable: 'No registrar here takes .{suffix}; register the name at its register_url instead',
    yearsNotSold: 'years must be one of {offered}: .{suffix} is not sold here for {years}',
    renewalPrice:
      'A year of renewal costs {cents} cents now. Look at the new price, and tick it again if you want it. Nothing ' +
      'was held.',
    noOrder: 'This account has no order with that id',
    noName: 'This account has no registered name with that id',
    noSuchOrder: 'There is no such order.',
    noSuchAccount: 'There is no such account.',
    noSuchCredit: 'There is no such credit.',
    noCreditWaits: 'No such credit waits.',
    foreignQuote: 'quote must be the token of a quote of this account',
    quoteExpired: 'The quote has expired; ask for a new one',
    registrantChanged: 'The registrant has changed since the quote; ask for a new one. Nothing was held.',
    chosenAnew:
      'You chose another registrant or term. Look at the price of it, then register. Nothing was held.',
    reserved: '{domain} cannot be registered: {reason}',
    notEligible: '{rule} ({source}, {asOf})',
    noPrice: 'The registrar gives no price now. Nothing was held.',
    noWord: 'The registrar does not say now whether it has the name. Nothing was held.',
    notServed: 'The registrar is not served now. Nothing was held.',
    priceChanged:
      'The price is {cents} cents now; order with the new quote if you want it. Nothing was held.',
    yearPrice: 'a year costs {cents} cents, more than was consented to',
    notFree: 'The registry did not confirm that {domain} is free. {state} Nothing was held.',
    unknownRegistrant: 'registrant must be the id of a registrant of this account',
    noRegistrant: 'registrant is missing: no mandate names this program',
    stopped: '{why} Nothing was held.',
    tooManyWait:
      '{most} orders of this account wait for approval; approve or cancel some first. Nothing was held.',
    notAccepted: 'accept lacks {agreements}; the quote has the texts',
    unknownAgreement: 'accept names agreements that the quote does not have',
    nameServers: 'name_servers {rule}. Nothing was sent.',
    serversRefused: 'name_servers were refused by the registrar: {text}. Nothing was changed; change them.',
    serversNotNow:
      'The registrar does not answer now. Nothing was changed; set the name servers again later.',
    serversOfOther:
      'This program did not order the name: a person sets its name servers at /profile/orders/{id}. Nothing was changed.',
    balanceShort:
      'The order costs {cents} cents and the balance has {free}: top up {missing} cents. Nothing was held.',
    noMandate:
      'No mandate names this program: a person of the account makes one at /profile/mandates. Nothing was held.',
    scopeNeeded: 'Orders need a key of an account with the scope {scope}.',
    noLink: 'This link was used, has expired, or its order has changed. See your orders.',
    frozen: '{why} It cannot order until then: write to the operator. Nothing was held.',
    mandateMonth: 'month must not be less than what one order may cost',
    mandateHolder: 'registrant has changed since this page was shown: look at it, and choose it again',
    mandateEnd: 'expires must be in the future',
    mandatePrograms: 'programs must name keys or connected apps of this account',
    mandates: 'An account has {most} mandates at most; end one first',
    mandateGone: 'This account has no such mandate, or it was ended',
    number: 'number must be an ABN of 11 digits or an ACN of 9, with their check digits',
    numberDigits: 'number must be an ABN of 11 digits or an ACN of 9',
    noNumber:
      'Names are registered here for holders of an ABN or ACN only: the identity of a person without one has to be ' +
      'verified by the registrar itself. Register the name at its register_url instead.',
    phone: 'phone must be an Australian number, or one as +64.91234567',
    registrants: 'An account has {most} registrants at most; remove one first',
    registrantUnreadable:
      'The details of this registrant cannot be read now: remove it and add it again, or ask the operator',
    registrantGone: 'This account has no registrant with that id',
    topUpLeast: 'cents must be at least {least}',
    topUpDay: 'An account may top up {most} cents a day, and {left} are left. Nothing was charged.',
    topUpNew: 'A new account may top up {most} cents a day, and {left} are left. Nothing was charged.',
    cardsAway: 'The card provider does not answer. Nothing was charged; send the same request again.',
    cardPageEnded: 'This page of the card provider has ended; begin again',
    notPaid: 'This top-up was not paid',
    notRefundable: '{cents} cents of this top-up are neither spent nor set aside. Nothing was refunded.',
    notThatMuch:
      '{free} cents of this balance are free; the rest is set aside for orders. Nothing was changed.',
    nothingToRefund: 'No card payment is left to refund. Nothing was changed.',
    noTopUp: 'This account has no top-up with that id',
    noRefund: 'This top-up has no refund with that id',
    cursor: 'cursor must be the next_cursor of an earlier page',
    sentBefore:
      'This form was sent before, with other choices, and the order was placed as it was then. See your orders, or ' +
      'begin again.',
    notByProgram:
      'A person approved this order, and this program did not place it: a person of the account cancels it at ' +
      '/profile/orders/{id}. Nothing was changed.',
    notByMandate:
      'A person approved this registration, or another program ordered it: a person of the account gives the name ' +
      'back at /profile/orders/{id}. Nothing was changed.',
    noReceipt: 'This account has no receipt with that number',
  },
  /** Where a registrar and the orders differ, for operators. */
  findings: {
    unknownHere: 'No order here has this name: it may be of an order that a restored database lacks.',
    executedLate:
      'Order {number} ended without this name, and the registrar has it: it was executed later. Cancel it there, or ' +
      'book it with `orders keep {id}` if its customer writes to keep it.',
    renewedLate:
      'Order {number} ended without renewing this name, and it ends on {there}: it was executed later. Cancel it ' +
      'there, or book it with `orders keep {id}` if its customer writes to keep it.',
    endedWithout:
      'Order {number} ended without this name, and the registrar has it. Nothing proves that it is of this order: ' +
      'look there, and cancel it if it is.',
    notListed: 'It is not in the list of the registrar.',
    notRegistered: 'The registry does not have it.',
    otherEnd: 'It ends on {there} at the registrar, and on {here} here.',
    otherNumber: 'The registrar has the number {there}, the order {here}.',
    ofAnother: 'It is of another registrar, or of another order.',
    otherContact: 'Its registrant is another contact.',
    unproven: 'It has another contact and password than its order gave it: look there whose it is.',
    unanswered: 'The registrar did not say what it has: {said}',
    price: 'A year of .{suffix} costs {there} cents there, and {here} by the table.',
    renewalPrice: 'Renewing .{suffix} for a year costs {there} cents there, and {here} by the table.',
    charged: 'It charged {cents} cents more than the ledger has.',
  },
  /** Mails: a subject and its first paragraph, by event. */
  mails: {
    registration: {
      'registration.completed': {
        subject: '{domain} is registered',
        lead: '{domain} is registered until {until}. The price was paid from your balance.',
      },
      'registration.failed': {
        subject: 'Your order of {domain} has ended',
        lead: 'This order of {domain} has ended. No money is set aside for it any more.',
      },
      'registration.needs_attention': {
        subject: 'Your order of {domain} needs attention',
        lead: 'Your order of {domain} needs attention.',
      },
      'registration.executed_late': {
        subject: '{domain} was registered late',
        lead: 'This order of {domain} had ended without the name. Its registrar registered it later.',
      },
      'registration.expiring': {
        subject: '{domain} expires on {until}',
        lead:
          '{domain} expires on {until}. Renew it before then: afterwards it may stop working, and after {last} it may ' +
          'go to another.',
      },
    },
    /** Of orders that renew a name. */
    renewal: {
      'registration.completed': {
        subject: '{domain} is renewed',
        lead: '{domain} is renewed until {until}. The price was paid from your balance.',
      },
      'registration.failed': {
        subject: '{domain} was not renewed',
        lead: 'This renewal of {domain} has ended. No money is set aside for it any more.',
      },
      'registration.needs_attention': {
        subject: 'The renewal of {domain} needs attention',
        lead: 'The renewal of {domain} needs attention.',
      },
      'registration.executed_late': {
        subject: '{domain} was renewed late',
        lead: 'This order had ended without renewing {domain}. Its registrar renewed it later.',
      },
      'registration.expiring': {
        subject: '{domain} expires on {until}',
        lead:
          '{domain} expires on {until}. Renew it before then: afterwards it may stop working, and after {last} it may ' +
          'go to another.',
      },
    },
    givenBack: {
      subject: '{domain} was given back',
      lead: '{domain} was given back to its registrar. The price is in your balance again.',
    },
    text: '{lead}\n\nOrder {number}: {state}\n{link}',
  },
} as const;
