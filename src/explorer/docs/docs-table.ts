/** The five doors, in the order of the navigation. */
export const docsSections = ['Start', 'Guides', 'Reference', 'Operate', 'Understand'] as const;
type DocsSection = (typeof docsSections)[number];

/** A page of the documentation site. */
export type DocsRow = {
  /** Its path on the site, without an ending: `guides/join` is `/docs/guides/join.html`, and `/docs/guides/join.md` as Markdown. */
  readonly page: string;
  readonly title: string;
  readonly section: DocsSection;
  /** The Markdown file it is made from, in the repository. */
  readonly source: string;
  /** What the page is about, in one line: for the home page and for `llms.txt`. */
  readonly about: string;
  /** Anchors of the level-2 sections of the source that the page has, in its order; `intro` is what is above the first. Without it: all. */
  readonly parts?: readonly string[];
};

/**
 * Every page of the site but the home page and the single decisions, which are listed by docs/understand/decisions/README.md. To add a page: write docs/DOOR/NAME.md
 * and add a row. The order is that of the navigation.
 */
export const docsTable: readonly DocsRow[] = [
  {
    page: 'start/first-hour',
    title: 'The first hour',
    section: 'Start',
    source: 'docs/start/first-hour.md',
    about: 'From nothing to a running node, the first transaction, and a node in your project.',
  },
  {
    page: 'start/commands',
    title: 'A tour of the commands',
    section: 'Start',
    source: 'docs/start/commands.md',
    about: 'Commands and flags by purpose: send, mine, go back, keep the chain, serve others.',
  },
  {
    page: 'start/sdks',
    title: 'SDKs',
    section: 'Start',
    source: 'docs/start/sdks.md',
    about: 'A short program for each client library, the flags that its node needs, and what fails in the library itself.',
  },
  {
    page: 'start/test-suites',
    title: 'Test suites',
    section: 'Start',
    source: 'docs/start/test-suites.md',
    about: 'A node inside a test, with vitest, jest or any other runner.',
  },
  {
    page: 'start/from-anvil',
    title: 'Coming from Anvil and Hardhat',
    section: 'Start',
    source: 'docs/start/from-anvil.md',
    about: 'Commands, flags and methods of Anvil and Hardhat with their counterparts, and what has none.',
  },
  {
    page: 'start/from-avacloud',
    title: 'Coming from AvaCloud and Glacier',
    section: 'Start',
    source: 'docs/start/from-avacloud.md',
    about: 'The Data and Metrics APIs on your own machine: what to change in a program, and what is missing.',
  },
  {
    page: 'start/from-avalanchego',
    title: 'Coming from AvalancheGo and tmpnet',
    section: 'Start',
    source: 'docs/start/from-avalanchego.md',
    about: 'A local node, a network of nodes, flags and methods of AvalancheGo, and what Serac does not do.',
  },
  {
    page: 'guides/follow',
    title: 'Follow a node',
    section: 'Guides',
    source: 'docs/guides/follow.md',
    about: 'serac follow: all APIs for the X-Chain of a running node, from an index of its own.',
  },
  {
    page: 'guides/join',
    title: 'Join a network',
    section: 'Guides',
    source: 'docs/guides/join.md',
    about: 'Nodes with peers: serac join, serac testnet, stakers, limits.',
  },
  {
    page: 'guides/join-mainnet',
    title: 'Join fuji or mainnet',
    section: 'Guides',
    source: 'docs/guides/join-mainnet.md',
    about: 'What the first start on a public network needs, what to check first, and what was never tried.',
  },
  {
    page: 'guides/cluster',
    title: 'PostgreSQL and Redis',
    section: 'Guides',
    source: 'docs/guides/cluster.md',
    about: 'The APIs on several machines: roles, replicas, partitions, backup, PgBouncer, Redis.',
  },
  {
    page: 'guides/webhooks',
    title: 'Webhooks',
    section: 'Guides',
    source: 'docs/guides/webhooks.md',
    about: 'Signed deliveries to a URL for addresses or an asset: how to create, receive and check them.',
  },
  {
    page: 'guides/scripts',
    title: 'Scripts and recordings',
    section: 'Guides',
    source: 'docs/guides/scripts.md',
    about: 'Scripts with a typed client, and calls that show a bug, recorded and sent again.',
  },
  {
    page: 'guides/fork',
    title: 'Fork of a live node',
    section: 'Guides',
    source: 'docs/guides/fork.md',
    about: 'A private chain that begins with what a live node has: what is copied, when, and its limits.',
  },
  {
    page: 'guides/agents',
    title: 'Tools for language models',
    section: 'Guides',
    source: 'docs/guides/agents.md',
    about: 'serac mcp: the methods and routes of a node as tools of the Model Context Protocol.',
  },
  {
    page: 'guides/ci',
    title: 'GitHub Actions',
    section: 'Guides',
    source: 'docs/guides/ci.md',
    about: 'A node in a workflow: start it, wait for it, print its log on failure.',
  },
  {
    page: 'guides/explorer',
    title: 'Explorer',
    section: 'Guides',
    source: 'docs/guides/explorer.md',
    about: 'The pages of the explorer, its search and its keys.',
  },
  {
    page: 'reference/node-rpc',
    title: 'Node RPC',
    section: 'Reference',
    source: 'docs/reference/methods.md',
    about: 'Every method of avm, wallet, info, health, platform, avax and eth with parameters and an executed example.',
    parts: [
      'intro',
      'types-of-parameters',
      'limits',
      'avm',
      'wallet',
      'info',
      'health',
      'platform',
      'avax',
      'eth',
      'without-json-rpc',
      'several-calls-at-once',
    ],
  },
  {
    page: 'reference/dev-methods',
    title: 'dev methods',
    section: 'Reference',
    source: 'docs/reference/methods.md',
    about: 'The dev.* methods of a developer’s chain: money, blocks, time, snapshots, faults; names of Anvil and Hardhat.',
    parts: ['dev', 'blocks-and-time', 'accounts', 'snapshots-and-state-files', 'access-to-extdev', 'names-of-anvil-hardhat-and-ganache'],
  },
  {
    page: 'reference/data-api',
    title: 'Data API',
    section: 'Reference',
    source: 'docs/reference/data-and-metrics.md',
    about: 'Blocks, transactions, UTXOs, balances and assets over HTTP: names, pages, keys, rate limits, every route.',
    parts: ['intro', 'names', 'pages', 'keys', 'rate-limits', 'age-of-the-data', 'browsers', 'errors', 'data-routes'],
  },
  {
    page: 'reference/metrics-api',
    title: 'Metrics API',
    section: 'Reference',
    source: 'docs/reference/data-and-metrics.md',
    about: 'Throughput, activity and fees over HTTP: every route.',
    parts: ['metrics-routes'],
  },
  {
    page: 'reference/webhook-routes',
    title: 'Webhook routes',
    section: 'Reference',
    source: 'docs/reference/data-and-metrics.md',
    about: 'The routes that create, change and list webhooks; every route.',
    parts: ['webhook-routes'],
  },
  {
    page: 'reference/explorer-api',
    title: 'Explorer API',
    section: 'Reference',
    source: 'docs/reference/explorer-api.md',
    about: 'What an explorer reads beside the Data API: reverts, live lists, exports, holders.',
  },
  {
    page: 'reference/explorer-routes',
    title: 'Explorer routes',
    section: 'Reference',
    source: 'docs/reference/data-and-metrics.md',
    about: 'The routes for explorers: holders, throughput, mempool, drops, search; every route.',
    parts: ['explorer-routes'],
  },
  {
    page: 'reference/events',
    title: 'Events',
    section: 'Reference',
    source: 'docs/reference/events.md',
    about: 'The event stream over SSE and WebSocket: filters, resuming, every event with its properties.',
  },
  {
    page: 'reference/library',
    title: 'Library',
    section: 'Reference',
    source: 'docs/reference/library.md',
    about: 'createNode, serac/vitest, serac/jest, serac/node-test and serac/client.',
  },
  {
    page: 'reference/codec',
    title: 'Codec recipes',
    section: 'Reference',
    source: 'docs/reference/codec.md',
    about: 'Programs for every kind of transaction, multisig in rounds and offline signing with serac/codec.',
  },
  {
    page: 'reference/errors',
    title: 'Errors',
    section: 'Reference',
    source: 'docs/reference/errors.md',
    about: 'Every error code with its meaning and remedy.',
  },
  {
    page: 'reference/flags',
    title: 'Flags',
    section: 'Reference',
    source: 'docs/reference/flags.md',
    about: 'Every flag by group, with its commands, default and meaning; flags of AvalancheGo without effect.',
  },
  {
    page: 'reference/limits',
    title: 'Limits',
    section: 'Reference',
    source: 'docs/reference/limits.md',
    about: 'Every limit of requests, queues and caches, and what happens beyond it.',
  },
  {
    page: 'reference/peer-messages',
    title: 'Messages between peers',
    section: 'Reference',
    source: 'docs/reference/peer-messages.md',
    about: 'The messages that nodes exchange on a network.',
  },
  {
    page: 'operate/install',
    title: 'Package, executable, containers',
    section: 'Operate',
    source: 'docs/operate/install.md',
    about: 'How Serac is installed: npm package, single-file executable, container image; operating systems.',
  },
  {
    page: 'operate/service',
    title: 'Serac as a service',
    section: 'Operate',
    source: 'docs/operate/service.md',
    about: 'Serac as a service: systemd, nginx, Caddy, Kubernetes, alerts, backup, upgrade.',
  },
  {
    page: 'operate/back-up',
    title: 'The data directory',
    section: 'Operate',
    source: 'docs/operate/back-up.md',
    about: 'What is stored, how it grows, backup and compact.',
  },
  {
    page: 'operate/damage',
    title: 'Damage',
    section: 'Operate',
    source: 'docs/operate/damage.md',
    about: 'How damaged files are noticed, and what to do.',
  },
  {
    page: 'operate/runbook',
    title: 'Runbook',
    section: 'Operate',
    source: 'docs/operate/runbook.md',
    about: 'What to do when a health check fails or an alert fires.',
  },
  {
    page: 'operate/sizing',
    title: 'Sizing',
    section: 'Operate',
    source: 'docs/operate/sizing.md',
    about: 'How many machines: bytes per transaction, CPU time per request, what breaks first.',
  },
  {
    page: 'operate/performance',
    title: 'What to expect',
    section: 'Operate',
    source: 'docs/operate/performance.md',
    about: 'Rates, memory, disk and start beside AvalancheGo, and which flags change them.',
  },
  {
    page: 'understand/architecture',
    title: 'Architecture',
    section: 'Understand',
    source: 'ARCHITECTURE.md',
    about: 'The wings of the source, the life of a transaction and of a request, glossary.',
  },
  {
    page: 'understand/differences',
    title: 'Differences',
    section: 'Understand',
    source: 'docs/understand/differences.md',
    about: 'Where Serac differs from AvalancheGo and from the public APIs, and why.',
  },
  {
    page: 'understand/decisions/index',
    title: 'Decisions',
    section: 'Understand',
    source: 'docs/understand/decisions/README.md',
    about: 'Why Bun, why SQLite, and other decisions, with the options and their numbers.',
  },
  {
    page: 'understand/dependencies',
    title: 'Dependencies',
    section: 'Understand',
    source: 'docs/understand/dependencies.md',
    about: 'Every dependency, its licence and why it is there.',
  },
  {
    page: 'understand/releasing',
    title: 'Releasing',
    section: 'Understand',
    source: 'docs/understand/releasing.md',
    about: 'What a release publishes, how it is made, signed and reproduced.',
  },
  {
    page: 'understand/security',
    title: 'Security',
    section: 'Understand',
    source: 'SECURITY.md',
    about: 'How to report a vulnerability; the threat model, with the tests that show what is defended.',
  },
  {
    page: 'understand/contributing',
    title: 'Contributing',
    section: 'Understand',
    source: 'CONTRIBUTING.md',
    about: 'How to change Serac: the first steps, the rules, the tests.',
  },
  {
    page: 'understand/changelog',
    title: 'Changelog',
    section: 'Understand',
    source: 'CHANGELOG.md',
    about: 'What changed with each version.',
  },
];

/** The file that is sent for an address without a page. Its links are those of a page at the top of the site. */
export const unknownPage = '404.html';

/** The folder of the decisions. Each of its files but the list is a page, which needs no row. */
export const decisionsFolder = 'docs/understand/decisions/';
