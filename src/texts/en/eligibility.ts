/** By which rule a holder may have a name or not, or why nothing decides it. */
export const eligibility = {
  register: 'Australian Business Register, https://abr.business.gov.au',
  rules: {
    checkDigit: 'The {type} has a wrong check digit: look for a mistyped digit.',
    idCompany: 'id.au is for natural persons; a company cannot have the name.',
    missing: 'The register has no such {type}: check its digits.',
    cancelled: 'The {type} is cancelled.',
    otherName:
      'The register has another legal name for the {type}: give the registrant the name as on the register.',
    idOrganisation: 'id.au is for natural persons; an organisation cannot have the name.',
    soleTrader: '{tld} is for not-for-profits; a sole trader isn’t one.',
    notAsked: 'The register of the number was not asked.',
    kindOpen: 'Whether {tld} is for this kind of holder takes more than the register says.',
    otherKind: 'The register has another kind of holder than {kind}: choose the kind as on the register.',
    anyName: 'The holder has an Australian presence, and any free name is allowed.',
    matches: 'The name matches a name of the holder.',
    acronym: 'The name is the acronym of a name of the holder’s.',
    holderKnows: 'Only the holder can say which of its goods, services or activities the name stands for.',
    nameIs: 'The name is {what}.',
  },
} as const;
