/**
 * Where Serac is kinder than AvalancheGo unless it runs with --strict. One row per difference, here and in docs/differences.md;
 * a test holds the two together. Rooms are handed the flags they need, never this table.
 */
export const differences = {
  batches: {
    what: 'A JSON-RPC batch (an array of up to 100 calls) is answered with an array.',
    why: 'AvalancheGo calls it a parse error; every other chain of the field takes batches, and client libraries send them.',
  },
  missingContentType: {
    what: 'A request without a Content-Type header is read as JSON.',
    why: 'AvalancheGo answers 415, and the reason is hard to find from a shell or a small HTTP client.',
  },
  errorData: {
    what: 'Errors carry structured `data`: a stable code and the facts of the case. Code and message stay the same.',
    why: "AvalancheGo's `data` is null, so a program can only match texts.",
  },
  txStatus: {
    what: '`avm.getTxStatus` also says `Processing` (waiting or in an undecided block) and `Rejected` (something it spends was spent by another accepted transaction).',
    why: 'AvalancheGo knows only `Accepted` and `Unknown`, so a sender cannot tell a slow transaction from a lost one.',
  },
  retryRefused: {
    what: 'A transaction that was refused before is judged anew when it is issued again.',
    why: 'AvalancheGo repeats the remembered reason (the last 64) even when the state has changed and the transaction is good by now.',
  },
  skipFailedWalletTx: {
    what: 'An invalid transaction never blocks the queue of `wallet.issueTx`: it is thrown out and the next one has its turn.',
    why: 'In AvalancheGo everything issued behind it gets a txID and is never issued.',
  },
  pageCursors: {
    what: '`getUTXOs`: a cursor is exclusive also with `sourceChain`, a cursor whose UTXO was spent goes on where it was, and a UTXO of several asked addresses is listed on one page only.',
    why: 'In AvalancheGo pages with `sourceChain` repeat their last entry (with `limit` 1 for ever) and a spent cursor starts over.',
  },
  privateNetwork: {
    what: 'A preflight that asks for access to a private network (`Access-Control-Request-Private-Network`) is granted it where its origin is allowed.',
    why: 'AvalancheGo does not answer that, so browsers may keep the pages of public sites from a node on the same machine or network.',
  },
  addressLength: {
    what: 'A bech32 address that does not hold exactly 20 bytes is refused.',
    why: 'AvalancheGo pads 19 bytes with a zero byte: a mistyped address is taken for another one.',
  },
  genesisBlockTxs: {
    what: '`txs` of block 0 is `[]` in JSON.',
    why: 'AvalancheGo answers `null` on a fresh data directory and `[]` after a restart. With --strict it is `null`.',
  },
  nodeVersion: {
    what: '`info.getNodeVersion` says `serac/<version>`.',
    why: 'It is what runs. With --strict the names are those of AvalancheGo 1.14.2, for clients that parse them.',
  },
  extraChecks: {
    what: 'Health has two further checks: `readers` where processes read beside the one that writes, `follow` where a node is followed.',
    why: 'AvalancheGo has neither, so it has no name for what may be wrong with them.',
  },
} as const;

export type Differences = { readonly [K in keyof typeof differences]: boolean };

export const differencesOf = (strict: boolean): Differences =>
  Object.fromEntries(Object.keys(differences).map((name) => [name, !strict])) as Differences;
