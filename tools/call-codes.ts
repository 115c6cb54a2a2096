import type { HexFault } from '../src/bytes/hex.ts';
import type { FollowFault } from '../src/follow/fault.ts';
import type { AvmFault } from '../src/rpc/avm-fault.ts';
import type { CounterpartFault } from '../src/rpc/counterpart.ts';
import type { EvmFault } from '../src/rpc/evm-fault.ts';
import type { RpcFault } from '../src/rpc/fault.ts';
import type { InfoFault } from '../src/rpc/info.ts';
import type { StateFault } from '../src/state/fault.ts';
import type { RelayFault } from '../src/workers/relay.ts';
import type { Advices } from './transaction-codes.ts';

const names =
  'Use the method in `didYouMean`, the route in `replacedBy` or the path in `path`, whichever is given; docs/methods.md lists all.';

/** `RPC_BAD_JSON` and `RPC_METHOD_*` come before any method runs. */
export const requestCodes: Advices<Exclude<RpcFault['code'], 'RPC_BAD_JSON'>> = {
  RPC_METHOD_ILL_FORMED: ['The method name is not `service.method`.', names],
  RPC_METHOD_UPPER_CASE: ['The method name has a capital after the dot.', names],
  RPC_NO_SERVICE: ['This path does not serve the service before the dot.', names],
  RPC_NO_METHOD: ['The service has no such method.', names],
  RPC_BAD_ARGUMENT: [
    'The parameter in `argument` has a wrong type or value.',
    'Send what `expected` names; docs/methods.md says how types are written.',
  ],
  RPC_UNKNOWN_CHAIN: ['No chain has this alias or ID.', 'Use `X`, `P`, `C`, an alias of `--chains` or a blockchain ID.'],
  RPC_TEXT_TOO_LONG: [
    'A method name, an ID or a text parameter is longer than `max` bytes.',
    'Send a shorter one; no valid value is as long.',
  ],
  RPC_TOO_MANY_MEMBERS: ['An object of the request has more than `max` members.', 'Send only the parameters that docs/methods.md lists.'],
  RPC_TOO_MANY_VALUES: ['The parameters or the ID hold more than `max` values.', 'Split the request.'],
  RPC_BATCH_EMPTY: ['The batch holds no call.', 'Send at least one call.'],
  RPC_BATCH_TOO_LONG: ['The batch holds more than `max` calls.', 'Split it into several requests.'],
  RPC_BATCH_ANSWER_TOO_LARGE: [
    'The answers of the calls before this one are larger than `max` bytes together; this call was not run.',
    'Send it in another request.',
  ],
  RPC_INTERNAL: ['The node failed; the reason is in its log.', 'Report it with the log.'],
};

export const methodCodes: Advices<
  AvmFault['code'] | InfoFault['code'] | CounterpartFault['code'] | EvmFault['code'] | Extract<StateFault['code'], 'STATE_DUPLICATE_PUT'>
> = {
  AVM_NIL_TX_ID: ['`txID` is missing or all zeros.', 'Give the ID of a transaction.'],
  AVM_NOT_FOUND: [
    'No accepted transaction, block or asset has this ID or height.',
    'Check it; `avm.getTxStatus` tells whether a transaction still waits.',
  ],
  AVM_UNKNOWN_ASSET: ['`assetID` is neither an alias such as `AVAX` nor an ID.', 'Give the ID of the asset in CB58.'],
  AVM_NOT_AN_ASSET: ['The ID belongs to a transaction that creates no asset.', 'Give the ID of a CreateAssetTx.'],
  AVM_NO_ADDRESSES: ['`addresses` is missing or empty.', 'Give at least one address.'],
  AVM_TOO_MANY_ADDRESSES: ['There are more than `max` addresses.', 'Ask for them in several calls.'],
  AVM_UNKNOWN_CHAIN: ['No chain has the alias or ID in `sourceChain`.', 'Use `P`, `C` or a blockchain ID.'],
  AVM_NO_SOURCE_CHAIN: ['The C-Chain has no UTXOs of its own.', 'Name the chain they come from in `sourceChain`.'],
  AVM_BAD_ADDRESS: [
    'The address is not one of this chain; `reason` says why.',
    'Use `expected` if it is given: the same key on this chain.',
  ],
  AVM_BAD_CURSOR: ['`startIndex` is not a cursor.', 'Repeat `endIndex` of the page before.'],
  AVM_ENCODING: ['UTXOs cannot be written as JSON.', 'Ask for `hex`.'],
  AVM_BALANCE_OVERFLOW: ['The balance does not fit into 64 bits.', 'Add up the UTXOs of `avm.getUTXOs`.'],
  AVM_BAD_TX_TEXT: ['`tx` is not the text form that `encoding` says.', 'Send hex with `0x` and a checksum, or `hexnc` without checksum.'],
  INFO_NO_CHAIN_GIVEN: ['`chain` is missing.', 'Give an alias or ID, such as `X`.'],
  INFO_NO_CHAIN: ['No chain has this alias or ID.', 'Use `X`, `P`, `C` or a blockchain ID.'],
  INFO_NOT_A_VALIDATOR: ['The node does not validate, so it has no uptime.', 'Ask a validator.'],
  COUNTERPART_NOT_RUN: ['Serac does not run the P- or C-Chain.', 'Ask an AvalancheGo node; docs/methods.md lists what is answered here.'],
  COUNTERPART_UNKNOWN_SUBNET: ['The P-Chain knows no such subnet with staking.', 'Leave `subnetID` out for the primary network.'],
  EVM_INVALID_PARAMS: ['The parameters of an `eth_` method do not fit; the message says which.', 'Send `[address, block]`.'],
  EVM_UNKNOWN_BLOCK: ['The C-Chain has no block but 0 here.', 'Use `latest`.'],
  STATE_DUPLICATE_PUT: ['The output is in the shared memory already.', 'Give it another transaction ID or index.'],
};

export const hexCodes: Advices<Exclude<HexFault['code'], 'HEX_UNSUPPORTED_ENCODING'>> = {
  HEX_NO_PREFIX: ['The hex text has no `0x`.', 'Put `0x` before it.'],
  HEX_ODD_LENGTH: ['The hex text has an odd number of digits.', 'Send two digits for each byte.'],
  HEX_BAD_DIGIT: ['The hex text has another character than a hex digit.', 'Correct the character at `at`.'],
  HEX_NO_CHECKSUM: ['The hex text is shorter than its checksum.', 'Append the last 4 bytes of the SHA-256 of the bytes.'],
  HEX_BAD_CHECKSUM: ['The checksum at the end of the hex text is wrong.', 'Append the last 4 bytes of the SHA-256 of the bytes.'],
};

export const nodeCodes: Advices<
  | Extract<FollowFault['code'], 'FOLLOW_SILENT' | 'FOLLOW_NONSENSE' | 'FOLLOW_REFUSED' | 'FOLLOW_STOPPED'>
  | Extract<RelayFault['code'], 'RELAY_BUSY'>
> = {
  FOLLOW_SILENT: ['The followed node does not answer.', 'Try again; `why` says what failed.'],
  FOLLOW_NONSENSE: ['The followed node gave an answer that cannot be right.', 'Check what `serac follow` points at.'],
  FOLLOW_REFUSED: [
    'The followed node refused the call; the message is its own.',
    'If `spentBy` is given, an input was spent by that transaction: fetch the UTXOs again. Otherwise go by the message.',
  ],
  FOLLOW_STOPPED: ['The node is stopping.', 'Try again when it has started.'],
  RELAY_BUSY: ['The process that writes has too many calls waiting.', 'Try again a little later.'],
};
