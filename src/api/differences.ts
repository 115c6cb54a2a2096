/**
 * Where Serac differs from AvalancheGo unless it runs with --strict. docs/understand/differences.md is generated from this table (tools/docs.ts), and a
 * test compares them. Modules get the booleans they need, not this table.
 */
export const differences = {
  batches: {
    what: 'A JSON-RPC batch (an array of up to 100 calls) is answered with an array.',
    why: 'AvalancheGo answers with a parse error. Nodes of other blockchains accept batches, and client libraries send them.',
  },
  missingContentType: {
    what: 'A request without a `Content-Type` header is parsed as JSON.',
    why: 'AvalancheGo answers 415, and with curl or a small HTTP client the reason is hard to find.',
  },
  underscoreNames: {
    what: 'A method may be called with an underscore in place of the dot: `avm_getTx` is `avm.getTx`.',
    why: 'AvalancheGo answers with an error. Code generators make a function of each method name, and a name with a dot does not compile; `/openrpc-json/avm` has these names.',
  },
  errorData: {
    what: 'Errors have structured `data`: a stable error code and details. The JSON-RPC code and message are the same.',
    why: "AvalancheGo's `data` is null, so a program has to parse the message.",
  },
  txStatus: {
    what: '`avm.getTxStatus` also returns `Processing` (in the mempool or in a processing block) and `Rejected` (no node will ever accept it: an accepted transaction spent its input, or rules that no state can change refuse it). `reason` and `code` say why. They also explain an `Unknown` transaction that was refused or dropped but may become valid (a missing parent, a conflict with a waiting transaction, `dev.dropTx`), until it is issued again.',
    why: 'AvalancheGo returns only `Accepted` and `Unknown`, so a sender cannot distinguish a pending transaction, a refused one and one that the node has never seen.',
  },
  retryRefused: {
    what: 'A transaction that was rejected is verified again when it is issued again.',
    why: 'AvalancheGo caches the last 64 reasons and repeats them, even if the state has changed and the transaction is now valid.',
  },
  skipFailedWalletTx: {
    what: 'An invalid transaction does not block the queue of `wallet.issueTx`: it is dropped and the next one is issued.',
    why: 'In AvalancheGo all transactions queued after it get a txID but are never issued.',
  },
  pageCursors: {
    what: '`getUTXOs`: a cursor is exclusive also with `sourceChain`, a cursor whose UTXO was spent continues at the same position, and a UTXO of several requested addresses is listed on one page only.',
    why: 'In AvalancheGo each page with `sourceChain` repeats the last entry of the page before (with `limit` 1 forever), and a cursor whose UTXO was spent starts from the beginning.',
  },
  privateNetwork: {
    what: 'A CORS preflight request for private network access (`Access-Control-Request-Private-Network`) is granted if its origin is allowed.',
    why: 'AvalancheGo ignores this header, so browsers may block requests from public websites to a node on the same machine or network.',
  },
  addressLength: {
    what: 'A bech32 address that is not exactly 20 bytes long is rejected.',
    why: 'AvalancheGo pads 19 bytes with a zero byte, so a mistyped address is accepted as a different address.',
  },
  genesisLists: {
    what: '`txs` of block 0 and `credentials` of genesis transactions are `[]` in JSON.',
    why: 'AvalancheGo returns `null` with a new data directory and `[]` after a restart. With --strict they are `null`.',
  },
  nodeVersion: {
    what: '`info.getNodeVersion` returns `serac/<version> avalanchego/1.14.2`, and peers see the same text.',
    why: 'It names the program that runs, and the version of AvalancheGo that it is compatible with. With --strict it returns the names of AvalancheGo 1.14.2, for clients that parse them.',
  },
  peerPort: {
    what: '`info.getNodeIP` of a node without a port for peers (all but `serac join`) returns port 0, unless `--staking-port` is given.',
    why: 'AvalancheGo always has such a port. Another node on the same machine may listen on the default port, 9651. With --strict the answer is 9651.',
  },
  indexRoutes: {
    what: '`GET /` returns an index of all URLs, or the explorer to a request that accepts `text/html`; `/ready` returns 200 or 503 for load balancers; `/ext/settings` the flags of the node for callers of `/ext/dev`.',
    why: 'AvalancheGo answers 404 to all three. Other HTTP methods of `/` are still answered with 404.',
  },
  extraChecks: {
    what: 'Health has seven more checks: `connections` (how many there may be, and whether all are in use), `readers` if reader processes run beside the writer process, `writer` if a supervisor process restarts it, `webhooks`, `follow` if another node is followed, `stakingkey` and `trusted-validators` on a joined node. On a joined node the check `X` also fails if validators with most of the stake have had a block for 10 s that this node lacks. `/ext/health/readiness` fails then too, and in two more cases: a joined node has not heard from most of the stake for 30 s; a follower is more than 10 s behind the height that its node answers.',
    why: 'AvalancheGo has neither reader processes nor followed nodes, does not look for another node with its own staking key, and reads validators from its own P-Chain, so that it can verify every block of the majority.',
  },
  explorer: {
    what: '`GET` on paths without a route, such as `/tx/<id>`, answers with the pages of the explorer, and so does `/` to a browser. Other HTTP methods get 404.',
    why: 'AvalancheGo answers 404. In a browser, a developer sees what a transaction did without a call.',
  },
} as const;

export type Differences = { readonly [K in keyof typeof differences]: boolean };

export const differencesOf = (strict: boolean): Differences =>
  Object.fromEntries(Object.keys(differences).map((name) => [name, !strict])) as Differences;
