import { bool, bytes, enumeration, id, sint32, text, uint32, uint64 } from './field-types.ts';
import { field, message, nested, packed, repeated } from './message-type.ts';

/**
 * All messages between peers: number in the outer message, whether AvalancheGo compresses it, and the fields. Encoder, decoder, types, limits
 * and docs/reference/peer-messages.md come from this table. AvalancheGo: proto/p2p/p2p.proto, message/outbound_msg_builder.go.
 */

/** Limits on counts. AvalancheGo has only the first three; the others bound what a message of 2 MiB can allocate. */
const maxTrackedSubnets = 16;
const maxContainers = 2000;
const maxSalt = 32;
const maxAcps = 256;
const maxPeers = 1024;
const maxIds = 4096;
const maxHeights = 4096;

/** AvalancheGo: staking/parse.go, MaxCertificateLen. */
const maxCertificate = 2048;

/** Signatures: RSA-4096 has 512 bytes, ECDSA at most 72, BLS 96. An IP address has 4 or 16. */
const maxSignature = 512;
const maxIp = 16;

/** A bloom filter of known peers. */
const KnownPeers = message({ filter: field(1, bytes()), salt: field(2, bytes(maxSalt)) });

const Client = message({
  name: field(1, text(256)),
  major: field(2, uint32),
  minor: field(3, uint32),
  patch: field(4, uint32),
});

/** A peer with its signed address. `txId` is not used any more: AvalancheGo sends 32 zero bytes and does not read it. */
export const ClaimedIp = message({
  certificate: field(1, bytes(maxCertificate)),
  ip: field(2, bytes(maxIp)),
  port: field(3, uint32),
  timestamp: field(4, uint64),
  signature: field(5, bytes(maxSignature)),
  txId: field(6, bytes(32)),
});

const chain = { chainId: field(1, id) };
/** A response has the ID of its request. */
const response = { ...chain, requestId: field(2, uint32) };
/** The deadline is a duration in nanoseconds; AvalancheGo never answers a request with 0. */
const request = { ...response, deadline: field(3, uint64) };

export const messageTable = {
  ping: { number: 11, compressed: false, type: message({ uptime: field(1, uint32) }) },
  pong: { number: 12, compressed: false, type: message({}) },
  handshake: {
    number: 13,
    compressed: false,
    type: message({
      networkId: field(1, uint32),
      myTime: field(2, uint64),
      ip: field(3, bytes(maxIp)),
      port: field(4, uint32),
      upgradeTime: field(5, uint64),
      ipSigningTime: field(6, uint64),
      ipTlsSignature: field(7, bytes(maxSignature)),
      trackedSubnets: repeated(8, id, maxTrackedSubnets),
      client: nested(9, Client),
      supportedAcps: packed(10, uint32, maxAcps),
      objectedAcps: packed(11, uint32, maxAcps),
      knownPeers: nested(12, KnownPeers),
      ipBlsSignature: field(13, bytes(maxSignature)),
      allSubnets: field(14, bool),
    }),
  },
  peerList: { number: 14, compressed: true, type: message({ peers: repeated(1, ClaimedIp, maxPeers) }) },
  getStateSummaryFrontier: { number: 15, compressed: false, type: message(request) },
  stateSummaryFrontier: { number: 16, compressed: true, type: message({ ...response, summary: field(3, bytes()) }) },
  getAcceptedStateSummary: { number: 17, compressed: true, type: message({ ...request, heights: packed(4, uint64, maxHeights) }) },
  acceptedStateSummary: { number: 18, compressed: true, type: message({ ...response, summaryIds: repeated(3, id, maxIds) }) },
  getAcceptedFrontier: { number: 19, compressed: false, type: message(request) },
  acceptedFrontier: { number: 20, compressed: false, type: message({ ...response, containerId: field(3, id) }) },
  getAccepted: { number: 21, compressed: false, type: message({ ...request, containerIds: repeated(4, id, maxIds) }) },
  accepted: { number: 22, compressed: false, type: message({ ...response, containerIds: repeated(3, id, maxIds) }) },
  getAncestors: {
    number: 23,
    compressed: false,
    type: message({ ...request, containerId: field(4, id), engineType: field(5, enumeration) }),
  },
  ancestors: { number: 24, compressed: true, type: message({ ...response, containers: repeated(3, bytes(), maxContainers, 'dropped') }) },
  get: { number: 25, compressed: false, type: message({ ...request, containerId: field(4, id) }) },
  put: { number: 26, compressed: true, type: message({ ...response, container: field(3, bytes()) }) },
  pushQuery: {
    number: 27,
    compressed: true,
    type: message({ ...request, container: field(4, bytes()), requestedHeight: field(6, uint64) }),
  },
  pullQuery: {
    number: 28,
    compressed: false,
    type: message({ ...request, containerId: field(4, id), requestedHeight: field(6, uint64) }),
  },
  chits: {
    number: 29,
    compressed: false,
    type: message({
      ...response,
      preferredId: field(3, id),
      acceptedId: field(4, id),
      preferredIdAtHeight: field(5, id),
      acceptedHeight: field(6, uint64),
    }),
  },
  appRequest: { number: 30, compressed: true, type: message({ ...request, appBytes: field(4, bytes()) }) },
  appResponse: { number: 31, compressed: true, type: message({ ...response, appBytes: field(3, bytes()) }) },
  appGossip: { number: 32, compressed: true, type: message({ ...chain, appBytes: field(2, bytes()) }) },
  appError: {
    number: 34,
    compressed: true,
    type: message({ ...response, errorCode: field(3, sint32), errorMessage: field(4, text(4096)) }),
  },
  getPeerList: { number: 35, compressed: true, type: message({ knownPeers: nested(1, KnownPeers), allSubnets: field(2, bool) }) },
} as const;

/** The number of the field that holds a compressed message. */
export const compressedNumber = 2;

/** Values of `engineType` in GetAncestors. */
export const engineTypes = { unspecified: 0, dag: 1, chain: 2 } as const;
