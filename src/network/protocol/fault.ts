import { Fault } from '../../base/fault.ts';

/** Why a peer's data is rejected; AvalancheGo closes the connection for each of them. */
type PeerFault =
  | { code: 'PEER_BAD_FILTER'; reason: string }
  | { code: 'PEER_BAD_HANDSHAKE'; field: string }
  | { code: 'PEER_BAD_CLAIM'; reason: string }
  | { code: 'PEER_BAD_IP'; length: number };
export class PeerError extends Fault<PeerFault> {}
