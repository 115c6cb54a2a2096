import type { SeracFault } from '../../api/client/fault.ts';
import type { SnapshotFault } from '../../ledger/snapshot/fault.ts';
import type { BuilderFault, DevHexFault, DevMethodFault, MethodFault, NodeFault, RequestFault } from './known-faults.ts';
import type { AdviceByCode } from './transaction-codes.ts';

const useKnownMethod =
  'Use the method in `didYouMean`, the route in `replacedBy` or the path in `path`, whichever is given; docs/reference/methods.md lists all.';

/** Errors of `dev.snapshot` and its siblings. */
export const snapshotCodes: AdviceByCode<SnapshotFault['code']> = {
  SNAPSHOT_UNKNOWN: ['No snapshot has this name.', 'Use a name of `dev.listSnapshots`.'],
  SNAPSHOT_BAD_NAME: ['The name is empty or longer than `max` characters.', 'Use a shorter name, or none: the node then picks a number.'],
  SNAPSHOT_LIMIT: ['There are `max` snapshots already.', 'Delete some with `dev.deleteSnapshot`.'],
  SNAPSHOT_OLD_INDEX: [
    'The index of the data directory is of an older version, and `snapshots` snapshots hold rows of it.',
    'Run `serac reindex`, which deletes the snapshots, or delete them with the version that saved them.',
  ],
  SNAPSHOT_NO_REORG: [
    'The state to which the reorg goes back was not kept; `max` blocks can be replaced.',
    'Start the node with `--reorg-depth N`, or replace fewer blocks.',
  ],
  SNAPSHOT_CHAIN_BUSY: ['A block of this chain is verified but not decided.', 'Send the call again.'],
  SNAPSHOT_DIFF_TOO_LARGE: ['More than `max` rows of a table differ.', 'Compare snapshots that are closer together.'],
};

/** Errors of a request, found before a method runs. */
export const requestCodes: AdviceByCode<RequestFault['code']> = {
  RPC_METHOD_ILL_FORMED: ['The method name is not `service.method`.', useKnownMethod],
  RPC_METHOD_UPPER_CASE: ['The method name has a capital after the dot.', useKnownMethod],
  RPC_NO_SERVICE: ['This path does not serve the service before the dot.', useKnownMethod],
  RPC_NO_METHOD: ['The service has no such method.', useKnownMethod],
  RPC_BAD_ARGUMENT: [
    'The parameter in `argument` has a wrong type or value.',
    'Send a value of the type in `expected`; docs/reference/methods.md describes the types.',
  ],
  RPC_UNKNOWN_PARAM: [
    'A `dev.*` method has no parameter `param`; nothing was done.',
    'Use the name in `didYouMean`, or one that docs/reference/methods.md lists.',
  ],
  RPC_REPEATED_PARAM: ['A parameter of a `dev.*` method is given twice, or under both of its names; nothing was done.', 'Give it once.'],
  RPC_UNKNOWN_CHAIN: ['No chain has this alias or ID.', 'Use `X`, `P`, `C`, an alias of `--chains` or a blockchain ID.'],
  RPC_TEXT_TOO_LONG: [
    'A method name, an ID or a text parameter is longer than `max` bytes.',
    'Send a shorter value; no valid value is that long.',
  ],
  RPC_TOO_MANY_MEMBERS: [
    'An object in the request has more than `max` members.',
    'Send only the parameters that docs/reference/methods.md lists.',
  ],
  RPC_TOO_MANY_VALUES: ['The parameters or the ID contain more than `max` values.', 'Split the request.'],
  RPC_BATCH_EMPTY: ['The batch contains no call.', 'Send at least one call.'],
  RPC_BATCH_TOO_LONG: ['The batch contains more than `max` calls.', 'Split it into several requests.'],
  RPC_BATCH_ANSWER_TOO_LARGE: [
    'The responses to the calls before this one exceed `max` bytes in total; this call was not run.',
    'Send it in another request.',
  ],
  RPC_INTERNAL: ['The node failed; the reason is in its log.', 'Report it with the log.'],
};

export const methodCodes: AdviceByCode<MethodFault['code']> = {
  AVM_NIL_TX_ID: ['`txID` is missing or all zeros.', 'Give the ID of a transaction.'],
  AVM_NOT_FOUND: [
    'No accepted transaction, block or asset has this ID or height.',
    'Check the ID or height; `avm.getTxStatus` shows whether a transaction is still processing.',
  ],
  AVM_UNKNOWN_ASSET: ['`assetID` is neither an alias such as `AVAX` nor an ID.', 'Give the ID of the asset in CB58.'],
  AVM_NOT_AN_ASSET: ['The ID belongs to a transaction that creates no asset.', 'Give the ID of a CreateAssetTx.'],
  AVM_NO_ADDRESSES: ['`addresses` is missing or empty.', 'Give at least one address.'],
  AVM_TOO_MANY_ADDRESSES: ['There are more than `max` addresses.', 'Split them into several calls.'],
  AVM_UNKNOWN_CHAIN: ['No chain has the alias or ID in `sourceChain`.', 'Use `P`, `C` or a blockchain ID.'],
  AVM_NO_SOURCE_CHAIN: ['The C-Chain has no UTXOs of its own.', 'Give the chain that exported them in `sourceChain`.'],
  AVM_EXPORTS_UNKNOWN: [
    'This node is on a network of peers and does not run the chain, so it cannot tell what that chain exported.',
    'Ask an AvalancheGo node, or name one that runs the chain with `--validators-from`.',
  ],
  AVM_BAD_ADDRESS: [
    'The address is not one of this chain; `reason` says why.',
    'Use `expected` if it is given: the address of the same key on this chain.',
  ],
  AVM_BAD_CURSOR: ['`startIndex` is not a valid cursor.', 'Use the `endIndex` of the previous page.'],
  AVM_ENCODING: ['UTXOs cannot be encoded as JSON.', 'Use the encoding `hex`.'],
  AVM_BUSY: ['`max` queries that take long are waiting; the status is 503.', 'Try again after the time in Retry-After.'],
  AVM_BALANCE_OVERFLOW: ['The balance does not fit into 64 bits.', 'Add up the UTXOs of `avm.getUTXOs`.'],
  AVM_BAD_TX_TEXT: ['`tx` is not in the format of `encoding`.', 'Send hex with `0x` and a checksum, or `hexnc` without checksum.'],
  INFO_NO_CHAIN_GIVEN: ['`chain` is missing.', 'Give an alias or ID, such as `X`.'],
  INFO_NO_CHAIN: ['No chain has this alias or ID.', 'Use `X`, `P`, `C` or a blockchain ID.'],
  INFO_NOT_A_VALIDATOR: ['The node does not validate, so it has no uptime.', 'Call a node that is a validator.'],
  COUNTERPART_NOT_RUN: [
    'Serac does not run the P- or C-Chain.',
    'Call an AvalancheGo node; docs/reference/methods.md lists the methods that Serac has.',
  ],
  COUNTERPART_UNKNOWN_SUBNET: ['There is no such subnet with staking.', 'Omit `subnetID` for the primary network.'],
  EVM_INVALID_PARAMS: ['The parameters of an `eth_` method are invalid; the message says which.', 'Send `[address, block]`.'],
  EVM_UNKNOWN_BLOCK: ['The C-Chain of Serac has only block 0.', 'Use `latest`.'],
  STATE_DUPLICATE_PUT: ['The output is already in the shared memory, or was imported from it.', 'Give it another transaction ID or index.'],
};

export const hexCodes: AdviceByCode<DevHexFault['code']> = {
  HEX_NO_PREFIX: ['The hex text has no `0x`.', 'Put `0x` before it.'],
  HEX_ODD_LENGTH: ['The hex text has an odd number of digits.', 'Send two digits for each byte.'],
  HEX_BAD_DIGIT: ['The hex text contains a character that is not a hex digit.', 'Correct the character at `at`.'],
  HEX_NO_CHECKSUM: ['The hex text is shorter than its checksum.', 'Append the last 4 bytes of the SHA-256 of the bytes.'],
  HEX_BAD_CHECKSUM: ['The checksum at the end of the hex text is wrong.', 'Append the last 4 bytes of the SHA-256 of the bytes.'],
};

export const devCodes: AdviceByCode<DevMethodFault['code']> = {
  DEV_BAD_AMOUNT: [
    'The amount is missing or invalid; `reason` says why.',
    'Send a whole number of the smallest unit, or an amount with the symbol of the asset, such as `1.5 AVAX`.',
  ],
  DEV_BAD_BYTES: ['The text starts with `0x` but is not hex.', 'Send hex digits after `0x`, or a text that does not start with it.'],
  DEV_BAD_TIME: [
    'The time is invalid, or before `min` or after `max`.',
    'Send Unix seconds or RFC 3339, such as `2027-01-31T00:00:00Z`; block times never decrease.',
  ],
  DEV_BAD_OWNERS: ['`to` or `threshold` is invalid; `reason` says why.', 'Send an address, or a list of them with a threshold.'],
  DEV_BAD_GROUPS: ['There are more than `max` groups.', 'Create several assets.'],
  DEV_BAD_LABEL: [
    'The name cannot be a label; `reason` says why.',
    'Send at most 64 visible characters that are no number, no address and no label of another address.',
  ],
  DEV_NOT_AN_ACCOUNT: [
    'There is no account with this number, or the node has no key for `from`.',
    'Use a number or address of `dev.accounts`.',
  ],
  DEV_INSUFFICIENT_FUNDS: [
    'The account can spend `have` of the asset, but `need` is needed, the fee included.',
    'Use `dev.faucet`, another account or a smaller amount; with pending transactions, wait for a block.',
  ],
  DEV_TOO_MANY_INPUTS: [
    'The amount consists of more than `max` outputs.',
    'Send a smaller amount, or send it to the account itself in parts.',
  ],
  DEV_NO_AMOUNTS: ['The asset is a family of NFTs or a property, which are not sent by amount.', 'Send an NFT with `dev.sendNFT`.'],
  DEV_CANNOT_MINT: [
    'No account has an unused mint output of the asset, or it is of another kind.',
    'Use the method that the message names, or create a mintable asset with `dev.createAsset`, `dev.createNFT` or `dev.createProperty`.',
  ],
  DEV_UNKNOWN_ASSET: ['No asset has this ID, alias or symbol.', 'Give the ID that `dev.createAsset` returned.'],
  DEV_AMBIGUOUS_SYMBOL: ['Several assets have the symbol.', 'Give one of `assetIDs`.'],
  DEV_UNKNOWN_OUTPUT: ['There is no such output, or it is spent.', '`avm.getUTXOs` and `dev.listAtomic` list outputs.'],
  DEV_WRONG_OUTPUT: ['The output is of another kind than `expected`.', 'Give the ID of an output of that kind.'],
  DEV_WRONG_CHAIN: ['The chain is neither the P- nor the C-Chain.', 'Use `P` or `C`.'],
  DEV_NOTHING_TO_IMPORT: [
    'Nothing waits for the account in the memory that chains share, or the `waiting` outputs are locked, have other owners too, or are of assets that cannot be imported.',
    '`dev.listAtomic` lists what waits; `dev.atomicDeposit` adds to it.',
  ],
  DEV_TX_DROPPED: ['Another transaction consumed an input first.', 'Send it again.'],
  DEV_NOT_STORED: [
    'The block with the transaction could not be stored, for example because the disk is full.',
    'Free some space: the node tries again every second. The transaction waits in the mempool; do not send it again.',
  ],
  WALLET_CANNOT_SIGN: [
    'The output is locked, or the node has too few keys of its owners.',
    'Use an output of an account, or wait until its lock time.',
  ],
  DEV_TOO_MANY_BLOCKS: ['More than `max` blocks were to be mined in one call.', 'Call `dev.mine` several times.'],
  DEV_BAD_DEPTH: ['`depth` is not a number from 1 to `max`.', 'Replace fewer blocks; block 0 cannot be replaced.'],
  DEV_NO_FILLER_FUNDS: [
    'There is no transaction to mine, and account 0 cannot pay the fee of a filler transaction.',
    'Issue a transaction, or send AVAX to `address`.',
  ],
  DEV_NOT_MINED: ['No block could be built.', 'Look at the log of the node, and try again.'],
  DEV_TIP_CHANGED: [
    'The last block changed while `dev.reorg` waited for another call; the last block is now at `height`. Nothing was reverted.',
    'Send the call again. Turn off automine first with `dev.setAutomine` if it fails again.',
  ],
  DEV_NOT_PENDING: [
    'The transaction is not in the mempool.',
    '`dev.getMempool` lists those that are; `dev.getTxLifecycle` tells what became of it.',
  ],
  DEV_NOT_DECODABLE: [
    'The bytes are neither a transaction nor a block nor a UTXO; `tx`, `block` and `utxo` say why.',
    'Send all bytes in hex, beginning with the codec version 0x0000.',
  ],
  DEV_UNKNOWN_TX: ['The node has not seen the transaction, or has seen `max` others since.', 'Check the ID.'],
  DEV_UNKNOWN_METHOD: ['There is no such method, or it cannot be delayed or fail.', 'Use a method of `avm`, `wallet`, `info` or `health`.'],
  DEV_NO_PEERS: ['The node decides its blocks alone, so it has no peers to block.', 'Use a node of `serac testnet`.'],
  DEV_PEER_DELAY: [
    'A delay to peers is longer than 10 s, after which connections are closed.',
    'Choose a shorter one, or `dev.blockPeers`.',
  ],
  DEV_NO_CALL: ['The log of calls has no such call: it keeps the last `max`, or fewer if they are large.', 'Use a number of `dev.calls`.'],
  DEV_LIMIT: ['A limit of a `dev.*` method is exceeded: `what`, at most `max`.', 'Give a smaller value.'],
  DEV_BALANCE_TOO_HIGH: [
    'The balance is above the wanted one; the method can only raise it.',
    'Use another address, or send the amount away.',
  ],
  DEV_ORDERED_FAILURE: ['`dev.failNext` made the call fail.', 'Call again; `dev.failNext` with `times` 0 ends it.'],
  IMPERSONATION_FULL: ['`max` addresses are impersonated.', 'Use `dev.setAutoImpersonate`.'],
  HEALTH_TOO_MANY_CHECKS: ['`dev.setUnhealthy` has added too many checks.', 'Use the name of an existing check.'],
};

export const nodeCodes: AdviceByCode<NodeFault['code']> = {
  FOLLOW_SILENT: ['The followed node does not answer.', 'Try again; `why` says what failed.'],
  FOLLOW_NONSENSE: ['The followed node returned an invalid response.', 'Check the URL given to `serac follow`.'],
  FOLLOW_REFUSED: [
    'The followed node rejected the call; the message is from that node.',
    'If `spentBy` is given, that transaction spent an input: fetch the UTXOs again. Otherwise follow the message.',
  ],
  FOLLOW_STOPPED: ['The node is stopping.', 'Try again when it has started.'],
  FORK_SOURCE_FAILED: ['The node of `--fork-url` does not answer; `why` says what failed.', 'Start it, and try again.'],
  FORK_ADDRESS_TOO_LARGE: ['The address has more than `max` outputs on the forked node.', 'Use another address.'],
  FORK_NO_HEIGHT: [
    'The forked node cannot tell what an address had at block `height`; `why` says what failed.',
    'Fork a Serac node with a Data API, such as one that follows the node, or leave `--fork-block-number` out.',
  ],
  FORK_TOO_MANY_INPUTS: [
    'The transaction spends outputs of more than `max` transactions that are not copied yet.',
    'Copy their owners with `--fork-address`.',
  ],
  RELAY_BUSY: [
    'The writer process has too many calls waiting, does not answer, or is being restarted; the status is 503.',
    'Try again after the time in Retry-After. If the message says that the call may still take effect, look whether it has before you send it again.',
  ],
};

/** Errors that the library and the commands throw themselves: no node has answered, or not with what was expected. */
export const libraryCodes: AdviceByCode<SeracFault['code']> = {
  NODE_UNREACHABLE: ['Nothing answers at `url`.', 'Start the node, or give its URL.'],
  NODE_TIMEOUT: ['The node has not answered within `milliseconds`.', 'Look at its log and at `serac doctor`; a busy node needs more time.'],
  NODE_HTTP: [
    'Something answers at `url`, but with the HTTP error `status`, or not with JSON-RPC.',
    'Check the URL: it may be another program.',
  ],
  NODE_TOO_LONG: ['The answer is longer than `maxBytes`.', 'Ask for a smaller page; no node sends one answer of that size.'],
  NODE_NO_DATA_API: [
    'The node has no Data API at `url`.',
    'Use a Serac node that serves it: AvalancheGo has none, and `--data-api-enabled=false` turns it off.',
  ],
  NODE_BAD_RESULT: ['The result does not have the documented form at `path`.', 'Use a node and a library of the same version.'],
  NODE_CLOSED: ['The node in this process was closed.', 'Create another one, or close it after the last call.'],
  EVENTS_CLOSED: [
    'The node has ended the event stream, or the connection was lost; `reason` says which.',
    'Subscribe again with `after` set to `lastEventId`.',
  ],
  EVENTS_LOST: [
    'The node no longer has the events after `lastEventId`.',
    'Read the state anew, then subscribe without `after`; or name `reset` in `kind`, which is then an event instead of this error.',
  ],
  BAD_PARAMETER: [
    '`parameter` cannot be sent exactly, such as a number that is no integer.',
    'Give it as `expected` says; amounts as bigint or text.',
  ],
  UNKNOWN_SERVICE: ['The library does not know the service of `method`.', 'Use a method that docs/reference/methods.md lists.'],
  RPC_ERROR: [
    'The method failed on a node that gives no code, such as AvalancheGo.',
    'The message is from that node; `rpcCode` and `data` are those of its answer.',
  ],
  NOT_FOUND: ['The node does not have what a command asked for; `what` names it.', 'Check the ID, and that `--url` is the right node.'],
  FILE_UNREADABLE: ['`file` cannot be read or written.', 'Check the path and its permissions.'],
};

/** Errors of `createNode` and `serac/codec` that no node has seen. */
export const builderCodes: AdviceByCode<BuilderFault['code']> = {
  OPTION_INVALID: [
    'An option of `createNode` has a value that is not allowed; the message says which.',
    'Use a value that the comment of the option names.',
  ],
  OPTION_UNKNOWN: ['`createNode` has no such option.', 'Use the name in `didYouMean`, or a flag of docs/reference/flags.md in camel case.'],
  WALLET_BAD_MNEMONIC: ['The text is not a mnemonic; `reason` says why.', 'Check the words and their order.'],
  WALLET_BAD_PATH: ['The text is not a derivation path.', "Use a path such as `m/44'/9000'/0'/0`."],
  WALLET_BAD_KEY: ['The text is not a private key of 32 bytes.', 'Use `PrivateKey-` and CB58, or 64 hex digits.'],
  WALLET_BAD_ADDRESS: ['The address has not 20 bytes.', 'Use an address such as `X-avax1…`.'],
  WALLET_INSUFFICIENT_FUNDS: [
    'The outputs given to the builder hold `have` of the asset that the wallet can spend, but `need` is needed, the fee included.',
    'Give it more outputs, the keys of their owners, and `now` for outputs whose lock time has passed.',
  ],
  WALLET_WRONG_OUTPUT: [
    'The output is of the kind `kind`, which cannot be used here.',
    'Give an output of the kind that the function names.',
  ],
  ADDRESS_LENGTH: ['An address has `got` bytes instead of 20.', 'Check how it was encoded.'],
  BECH32_BAD_TEXT: ['The text is not an address in bech32; the message says why.', 'Copy the whole address, in lower case.'],
  CB58_BAD_TEXT: ['The text is not CB58.', 'Copy the whole ID or key.'],
  CB58_NO_CHECKSUM: ['The CB58 text is shorter than its checksum.', 'Copy the whole ID or key.'],
  CB58_BAD_CHECKSUM: ['The checksum of the CB58 text is wrong.', 'Copy the ID or key again: a character is missing or wrong.'],
  ID_LENGTH: ['An ID has `got` bytes instead of 32.', 'Use the ID of a transaction, block, asset or chain.'],
  HEX_UNSUPPORTED_ENCODING: ['Bytes cannot be written in this encoding.', 'Use `hex`, `hexc` or `hexnc`.'],
};
