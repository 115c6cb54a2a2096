/** Groups of pages, in the order of the navigation. */
export const docsSections = ['First steps', 'Interfaces', 'Reference', 'Operators', 'Performance', 'Decisions', 'Project'] as const;
type DocsSection = (typeof docsSections)[number];

/** A page of the documentation site. */
export type DocsRow = {
  /** Its path on the site, without an ending: `join` is `/docs/join.html`, and `/docs/join.md` as Markdown. */
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
 * Every page of the site but the home page and the single decisions, which are listed by docs/decisions/README.md. To add a page: write docs/NAME.md
 * and add a row. The order is that of the navigation.
 */
export const docsTable: readonly DocsRow[] = [
  {
    page: 'start',
    title: 'Start',
    section: 'First steps',
    source: 'README.md',
    about: 'From nothing to a running node and the first transaction; how to install it in a project; what it serves.',
    parts: ['intro', 'send-a-transaction', 'install-it-in-a-project', 'what-it-serves'],
  },
  {
    page: 'test-suites',
    title: 'Test suites',
    section: 'First steps',
    source: 'README.md',
    about: 'A node inside a test, with vitest, jest or any other runner.',
    parts: ['in-a-test-suite'],
  },
  {
    page: 'github-action',
    title: 'GitHub Actions',
    section: 'First steps',
    source: 'docs/github-action.md',
    about: 'A node in a workflow: start it, wait for it, print its log on failure.',
  },
  {
    page: 'recipes',
    title: 'Recipes',
    section: 'First steps',
    source: 'README.md',
    about: 'Flags and commands by purpose: keep the chain, fund an account, follow a node, expose it.',
    parts: ['recipes'],
  },
  {
    page: 'coming-from-anvil-and-hardhat',
    title: 'Coming from Anvil and Hardhat',
    section: 'First steps',
    source: 'docs/coming-from-anvil-and-hardhat.md',
    about: 'Commands, flags and methods of Anvil and Hardhat with their counterparts, and what has none.',
  },
  {
    page: 'coming-from-avacloud-and-glacier',
    title: 'Coming from AvaCloud and Glacier',
    section: 'First steps',
    source: 'docs/coming-from-avacloud-and-glacier.md',
    about: 'The Data and Metrics APIs on your own machine: what to change in a program, and what is missing.',
  },
  {
    page: 'coming-from-avalanchego-and-tmpnet',
    title: 'Coming from AvalancheGo and tmpnet',
    section: 'First steps',
    source: 'docs/coming-from-avalanchego-and-tmpnet.md',
    about: 'A local node, a network of nodes, flags and methods of AvalancheGo, and what Serac does not do.',
  },
  {
    page: 'fork',
    title: 'Fork of a live node',
    section: 'First steps',
    source: 'docs/fork.md',
    about: 'A private chain that begins with what a live node has: what is copied, when, and its limits.',
  },
  {
    page: 'scripts',
    title: 'Scripts and recordings',
    section: 'First steps',
    source: 'docs/scripts.md',
    about: 'Scripts with a typed client, and calls that show a bug, recorded and sent again.',
  },
  {
    page: 'mcp',
    title: 'Tools for language models',
    section: 'Interfaces',
    source: 'docs/mcp.md',
    about: 'serac mcp: the methods and routes of a node as tools of the Model Context Protocol.',
  },
  {
    page: 'node-rpc',
    title: 'Node RPC',
    section: 'Interfaces',
    source: 'docs/methods.md',
    about: 'Every method of avm, wallet, info, health, platform, avax and eth with parameters and an executed example.',
    parts: ['intro', 'limits', 'avm', 'wallet', 'info', 'health', 'platform', 'avax', 'eth', 'without-json-rpc', 'several-calls-at-once'],
  },
  {
    page: 'dev-methods',
    title: 'dev methods',
    section: 'Interfaces',
    source: 'docs/methods.md',
    about: 'The dev.* methods of a developer’s chain: money, blocks, time, snapshots, faults; names of Anvil and Hardhat.',
    parts: ['blocks-and-time', 'accounts', 'snapshots-and-state-files', 'access-to-extdev', 'names-of-anvil-hardhat-and-ganache', 'dev'],
  },
  {
    page: 'data-api',
    title: 'Data API',
    section: 'Interfaces',
    source: 'docs/data-and-metrics.md',
    about: 'Blocks, transactions, UTXOs, balances and assets over HTTP: names, pages, keys, rate limits, every route.',
    parts: ['intro', 'names', 'pages', 'keys', 'rate-limits', 'browsers', 'errors', 'data-routes'],
  },
  {
    page: 'metrics-api',
    title: 'Metrics API',
    section: 'Interfaces',
    source: 'docs/data-and-metrics.md',
    about: 'Throughput, activity and fees over HTTP: every route.',
    parts: ['metrics-routes'],
  },
  {
    page: 'events',
    title: 'Events',
    section: 'Interfaces',
    source: 'docs/events.md',
    about: 'The event stream over SSE and WebSocket: filters, resuming, every event with its properties.',
  },
  {
    page: 'webhooks',
    title: 'Webhooks',
    section: 'Interfaces',
    source: 'docs/webhooks.md',
    about: 'Signed deliveries to a URL for addresses or an asset: how to create, receive and check them.',
  },
  {
    page: 'webhook-routes',
    title: 'Webhook routes',
    section: 'Interfaces',
    source: 'docs/data-and-metrics.md',
    about: 'The routes that create, change and list webhooks; every route.',
    parts: ['webhook-routes'],
  },
  {
    page: 'explorer',
    title: 'Explorer',
    section: 'Interfaces',
    source: 'docs/explorer.md',
    about: 'The pages of the explorer, its search and its keys.',
  },
  {
    page: 'explorer-api',
    title: 'Explorer API',
    section: 'Interfaces',
    source: 'docs/explorer-api.md',
    about: 'What an explorer reads beside the Data API: reverts, live lists, exports, holders.',
  },
  {
    page: 'explorer-routes',
    title: 'Explorer routes',
    section: 'Interfaces',
    source: 'docs/data-and-metrics.md',
    about: 'The routes for explorers: holders, throughput, mempool, drops, search; every route.',
    parts: ['explorer-routes'],
  },
  {
    page: 'library',
    title: 'Library',
    section: 'Interfaces',
    source: 'docs/library.md',
    about: 'createNode, serac/vitest, serac/client and serac/codec.',
  },
  {
    page: 'errors',
    title: 'Errors',
    section: 'Reference',
    source: 'docs/errors.md',
    about: 'Every error code with its meaning and remedy.',
  },
  {
    page: 'differences',
    title: 'Differences',
    section: 'Reference',
    source: 'docs/differences.md',
    about: 'Where Serac differs from AvalancheGo and from the public APIs, and why.',
  },
  {
    page: 'limits',
    title: 'Limits',
    section: 'Reference',
    source: 'docs/limits.md',
    about: 'Every limit of requests, queues and caches, and what happens beyond it.',
  },
  {
    page: 'peer-messages',
    title: 'Messages between peers',
    section: 'Reference',
    source: 'docs/peer-messages.md',
    about: 'The messages that nodes exchange on a network.',
  },
  {
    page: 'join',
    title: 'Join a network',
    section: 'Operators',
    source: 'docs/join.md',
    about: 'Nodes with peers: serac join, serac testnet, stakers, fuji and mainnet, limits.',
  },
  {
    page: 'packaging',
    title: 'Package, executable, containers',
    section: 'Operators',
    source: 'docs/packaging.md',
    about: 'How Serac is installed: npm package, single-file executable, container image; operating systems.',
  },
  {
    page: 'storage',
    title: 'The data directory',
    section: 'Operators',
    source: 'docs/storage.md',
    about: 'What is stored, how it grows, backup and compact.',
  },
  {
    page: 'operators',
    title: "Operators' guide",
    section: 'Operators',
    source: 'docs/operators.md',
    about: 'Serac as a service: systemd, nginx, Caddy, Kubernetes, alerts, backup, upgrade.',
  },
  {
    page: 'runbook',
    title: 'Runbook',
    section: 'Operators',
    source: 'docs/runbook.md',
    about: 'What to do when a health check fails or an alert fires.',
  },
  {
    page: 'damage',
    title: 'Damage',
    section: 'Operators',
    source: 'docs/damage.md',
    about: 'How damaged files are noticed, and what to do.',
  },
  {
    page: 'postgresql',
    title: 'PostgreSQL and Redis',
    section: 'Operators',
    source: 'docs/postgresql.md',
    about: 'The APIs on several machines: roles, replicas, partitions, backup, PgBouncer, Redis.',
  },
  {
    page: 'sizing',
    title: 'Sizing',
    section: 'Operators',
    source: 'docs/sizing.md',
    about: 'How many machines: bytes per transaction, CPU time per request, what breaks first.',
  },
  {
    page: 'performance',
    title: 'What to expect',
    section: 'Performance',
    source: 'docs/performance.md',
    about: 'Rates, memory, disk and start, and which flags change them.',
  },
  {
    page: 'beside-avalanchego',
    title: 'Numbers beside AvalancheGo',
    section: 'Performance',
    source: 'README.md',
    about: 'The same work on Serac and on AvalancheGo, in one run.',
    parts: ['numbers-beside-avalanchego'],
  },
  {
    page: 'performance-how',
    title: 'How it was reached',
    section: 'Performance',
    source: 'docs/performance-how.md',
    about: 'Where the time of a transaction and of a page goes, and how it is measured.',
  },
  {
    page: 'decisions/index',
    title: 'Decisions',
    section: 'Decisions',
    source: 'docs/decisions/README.md',
    about: 'Why Bun, why SQLite, and other decisions, with the options and their numbers.',
  },
  {
    page: 'releasing',
    title: 'Releasing',
    section: 'Project',
    source: 'docs/releasing.md',
    about: 'What a release publishes, how it is made, signed and reproduced.',
  },
  {
    page: 'dependencies',
    title: 'Dependencies',
    section: 'Project',
    source: 'docs/dependencies.md',
    about: 'Every dependency, its licence and why it is there.',
  },
  {
    page: 'architecture',
    title: 'Architecture',
    section: 'Project',
    source: 'ARCHITECTURE.md',
    about: 'The wings of the source, the life of a transaction and of a request, glossary.',
  },
  {
    page: 'contributing',
    title: 'Contributing',
    section: 'Project',
    source: 'CONTRIBUTING.md',
    about: 'How to change Serac: the first steps, the rules, the tests.',
  },
  {
    page: 'tests',
    title: 'Run the tests',
    section: 'Project',
    source: 'README.md',
    about: 'Which tests there are and which variables they read.',
    parts: ['contributing'],
  },
  {
    page: 'security',
    title: 'Security',
    section: 'Project',
    source: 'SECURITY.md',
    about: 'How to report a vulnerability; the threat model, with the tests that show what is defended.',
  },
  {
    page: 'changelog',
    title: 'Changelog',
    section: 'Project',
    source: 'CHANGELOG.md',
    about: 'What changed with each version.',
  },
];

/** Sections of files of which only parts are pages, which the site replaces: its navigation is the list of pages. */
export const partsWithoutPage: Readonly<Record<string, readonly string[]>> = { 'README.md': ['documentation'] };

/** The folder of the decisions. Each of its files but the list is a page, which needs no row. */
export const decisionsFolder = 'docs/decisions/';
