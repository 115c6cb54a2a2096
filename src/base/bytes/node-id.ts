import { addressFromBytes } from './address.ts';
import { cb58Decode, cb58Encode } from './cb58.ts';
import { hash160 } from './hash.ts';
import { fromHex, toHex } from './hex.ts';

/** A node ID as 40 lower-case hex digits: a key for maps, equal by ===, ordered as its bytes. */
export type NodeId = string & { readonly __nodeId: true };

/** The hash of a node's TLS certificate in DER. AvalancheGo: ids/node_id.go, NodeIDFromCert. */
export const nodeIdOfCertificate = (certificate: Uint8Array): NodeId => toHex(hash160(certificate)) as NodeId;

const prefix = 'NodeID-';

export const nodeIdText = (id: NodeId): string => prefix + cb58Encode(fromHex(id));

/** Parses the text form, with its prefix. Throws the fault of the CB58 part, or of its length. */
export const parseNodeId = (text: string): NodeId =>
  addressFromBytes(cb58Decode(text.startsWith(prefix) ? text.slice(prefix.length) : '')) as string as NodeId;
