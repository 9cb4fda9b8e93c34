import type { Topic } from './topic.js';

/** Tax, partners, investors, payouts, deposits and statistics. */
export const TRADE_TOPICS: readonly Topic[] = [
  {
    id: 'tax',
    what: ['VAT', 'GST', 'the tax on my bill', 'taxes', 'tax_compliance', 'the tax rates'],
    how: ['see the tax of my account', 'declare my country', 'set my country'],
    ask: [
      'Does Quipu compute taxes?',
      'Which tax do I pay?',
      'Which endpoint tells me the tax?',
      'Why does my statement state no tax?',
      'What is reverse charge?',
    ],
    answer: [
      [
        'GET /api/v1/tax_compliance tells the VAT or GST of a country and what is withheld from a payout.',
        'The rates of VAT and GST come from a table, and GET /api/v1/tax_compliance shows them.',
      ],
      [
        'Statements state tax only if QUIPU_TAX_SELLER_COUNTRY is set, and a business in the Union has reverse charge.',
        'Without QUIPU_TAX_SELLER_COUNTRY a statement states no tax.',
      ],
    ],
  },
  {
    id: 'withholding',
    what: ['withholding tax', 'a treaty rate', 'W-8BEN', 'net_payout', 'what is withheld'],
    ask: [
      'How much is withheld from a payout?',
      'Why is 30 percent withheld?',
      'How do I get a treaty rate?',
    ],
    answer: [
      [
        'Without a treaty claim 30 percent of a payout is withheld, and nothing from a payee in the United States.',
        'A treaty rate needs a claim, Form W-8BEN, and without one 30 percent is withheld.',
      ],
      [
        'The field net_payout is the gross amount less what is withheld.',
        'So net_payout equals gross minus withheld, and VAT is never taken off.',
      ],
    ],
  },
  {
    id: 'partner',
    what: ['a partner', 'partners', 'white-label partners', 'a sub-user', 'the partner area'],
    how: ['become a partner', 'register a sub-user', 'add a sub-user', 'resell Quipu'],
    ask: [
      'What can a partner do?',
      'How does a partner earn money?',
      'Who may add an existing user to a partner?',
      'Is there a white-label programme?',
    ],
    answer: [
      [
        'A partner is a reseller with its own colours, sub-users, rigs and a share of what its sub-users pay.',
        'Partners resell Quipu under their own brand and earn a share of the charges of their sub-users.',
      ],
      [
        'Its manager registers new users, but only an Admin adds a user who exists.',
        'A manager may register and remove sub-users and change the share up to its ceiling.',
      ],
    ],
  },
  {
    id: 'investor',
    what: ['an investor', 'investors', 'a share in a rig', 'the portfolio', 'the APY'],
    how: ['see my portfolio', 'invest in a rig', 'see what my shares earn'],
    ask: [
      'What does an investor earn?',
      'How is the yield computed?',
      'Why is the APY null?',
      'What is the net revenue?',
    ],
    answer: [
      [
        'An investor holds shares in rigs and earns from the charges of the work that these rigs do.',
        'Investors own shares in rigs, and each share earns from the charges of its rig.',
      ],
      [
        'Net revenue is gross less the share of the partner and the fee of the platform.',
        'The APY is null while no share was held for a day.',
      ],
    ],
  },
  {
    id: 'payout',
    what: ['a payout', 'payouts', 'earnings', 'an accrual', 'EarningsAccrued'],
    how: ['get my earnings', 'receive a payout', 'see my earnings'],
    ask: [
      'How are charges divided?',
      'Who gets what of a charge?',
      'How are earnings rounded?',
      'When do I get my earnings?',
    ],
    answer: [
      [
        'Every charge is divided among the partner, the investors of the rig and the platform.',
        'Payouts divide each charge among partner, investors and platform.',
      ],
      [
        'Shares are exact integers, and a fraction of a micro-dollar is carried to the next share.',
        'No fraction is lost: it is carried to the next share.',
      ],
    ],
  },
  {
    id: 'crypto',
    what: ['a crypto invoice', 'deposits in crypto-currencies', 'bitcoin payments', 'a deposit'],
    how: ['pay with bitcoin', 'deposit crypto', 'pay with USDT', 'create a crypto invoice'],
    ask: [
      'Which currencies can I pay with?',
      'Can I pay in crypto?',
      'Does Quipu hold my private keys?',
      'Which coins are accepted?',
    ],
    answer: [
      [
        'Deposits are possible in BTC, LTC, BCH, DOGE, ETH, USDT, USDC and SOL.',
        'You can pay with BTC, LTC, BCH, DOGE, ETH, USDT, USDC or SOL.',
      ],
      [
        'Quipu only watches the chains and holds no key that can spend.',
        'It holds addresses and extended public keys, and no key that can spend.',
      ],
    ],
  },
  {
    id: 'crypto-status',
    what: [
      'the status of a crypto invoice',
      'an underpaid invoice',
      'confirmations',
      'a late payment',
    ],
    ask: [
      'My payment is not credited yet, why?',
      'I paid too late, is my money lost?',
      'What does confirming mean?',
      'I paid too little, what happens?',
      'When is a deposit credited?',
    ],
    answer: [
      [
        'An invoice is pending, detected, confirming and then completed, or overpaid, underpaid, expired or late.',
        'A payment is detected, then confirming, and credited when it has enough confirmations.',
      ],
      [
        'Every confirmed payment is credited, also a late one.',
        'A late payment is credited too, at the price of its confirmation.',
      ],
    ],
  },
  {
    id: 'statistics',
    what: ['the statistics', 'stats/metrics', 'the figures of the platform', 'platform metrics'],
    how: ['see the statistics', 'see how many nodes are online'],
    ask: [
      'How many nodes are online?',
      'How much revenue does the platform make?',
      'Are the statistics anonymous?',
      'Where are the public figures?',
    ],
    answer: [
      [
        'GET /api/v1/stats/metrics has anonymous figures of the whole platform, folded from the log.',
        'The figures at /api/v1/stats/metrics are anonymous, and each is folded from the log.',
      ],
      ['What no node reports is null, never a guess.', 'A figure that nothing reports is null.'],
    ],
  },
];
