/** An IP address as text and a port. */
export type Endpoint = { readonly ip: string; readonly port: number };

/** An encrypted connection to another node that proved its certificate. The certificate is not yet checked. */
export type PeerSocket = {
  readonly remote: Endpoint;
  /** The certificate of the other node in DER; undefined if it sent none. */
  readonly certificate: Uint8Array | undefined;
  /** A value that only the two ends of this connection can compute: equal at both, different for every connection. */
  readonly channelId: string;
  /** Registers the receiver, once, and calls it in later turns only. No bytes are lost before. `closed` is called once, also after `close`. */
  readonly start: (handlers: SocketHandlers) => void;
  /** Writes bytes and calls `written` when the operating system took them. They are buffered without limit: the caller bounds them. */
  readonly write: (bytes: Uint8Array, written: () => void) => void;
  /** Stops reading, so that the sender has to wait. A few chunks may still arrive. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Bytes that were read while it was paused, and are delivered first when it goes on. */
  readonly buffered: () => number;
  /** Closes at once, without sending what is buffered. */
  readonly close: () => void;
};

export type SocketHandlers = {
  /** The bytes may be overwritten after the call. */
  readonly data: (chunk: Uint8Array) => void;
  readonly closed: () => void;
};

export type SocketListener = { readonly endpoint: Endpoint; readonly close: () => Promise<void> };

export type ListenOptions = {
  /** An empty host means all addresses. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** How long the TLS handshake of a client may take, in milliseconds. */
  readonly handshakeTimeout: number;
  /** Called for each TCP connection before TLS; false closes it. */
  readonly mayConnect: (ip: string) => boolean;
  readonly connected: (socket: PeerSocket) => void;
  /** A client whose TLS handshake failed or took too long. */
  readonly rejected: (ip: string | undefined, reason: string) => void;
};

/** Opens connections with the staking certificate of this node: TLS 1.3, both sides ask for a certificate. */
export type PeerSockets = {
  readonly listen: (options: ListenOptions) => Promise<SocketListener>;
  /** Resolves when TLS is established; rejects if that fails or takes longer than `timeout` milliseconds. */
  readonly dial: (to: Endpoint, timeout: number) => Promise<PeerSocket>;
};
