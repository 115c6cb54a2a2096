/**
 * AvalancheGo flags for features that Serac does not have. They are rejected, because ignoring them would mislead the user.
 * A switch is rejected only when it is on.
 */
export const unsupportedFlags: { readonly [name: string]: { readonly kind: 'boolean' | 'text'; readonly why: string } } = {
  'http-tls-enabled': { kind: 'boolean', why: 'Serac serves plain HTTP; put a TLS proxy in front of it' },
  'http-read-header-timeout': {
    kind: 'text',
    why: "Bun's HTTP server gives a caller 10 to 12 seconds to send its headers, and this cannot be changed",
  },
  'db-read-only': { kind: 'boolean', why: 'Serac always stores what it accepts; use --db-type memdb to keep nothing on disk' },
  'upgrade-file': { kind: 'text', why: 'upgrade times of a custom network cannot be chosen; they are those of the local network' },
  'upgrade-file-content': { kind: 'text', why: 'upgrade times of a custom network cannot be chosen; they are those of the local network' },
  'staking-host': {
    kind: 'text',
    why: 'Serac has no peers and does not listen for any; --public-ip and --staking-port set what info.getNodeIP returns',
  },
  'staking-rpc-signer-endpoint': { kind: 'text', why: 'Serac signs with its own BLS key; give one with --staking-signer-key-file' },
};

/** AvalancheGo switches that have no effect here. Those on the second line were removed from AvalancheGo but are still used in scripts. */
export const ignoredSwitches: ReadonlySet<string> = splitWords(`
api-admin-enabled index-allow-incomplete index-enabled log-disable-display-plugin-logs log-rotater-compress-enabled meter-vms-enabled
api-auth-required api-ipcs-enabled api-keystore-enabled staking-enabled
network-allow-private-ips network-require-validator-to-connect network-tcp-proxy-enabled partial-sync-primary-network
profile-continuous-enabled proposervm-use-current-height sybil-protection-enabled tracing-insecure`);

/** AvalancheGo flags with a value that have no effect here. */
export const ignoredValues: ReadonlySet<string> = splitWords(`
acp-object acp-support benchlist-bench-probability benchlist-duration benchlist-halflife benchlist-unbench-probability
bootstrap-ancestors-max-containers-received bootstrap-ancestors-max-containers-sent bootstrap-beacon-connection-timeout bootstrap-ids
bootstrap-ips bootstrap-max-time-get-ancestors chain-aliases-file chain-aliases-file-content chain-config-content chain-config-dir
chain-data-dir consensus-app-concurrency consensus-frontier-poll-frequency consensus-shutdown-timeout db-config-file
db-config-file-content db-dir dynamic-fees-bandwidth-weight dynamic-fees-compute-weight dynamic-fees-db-read-weight
dynamic-fees-db-write-weight dynamic-fees-excess-conversion-constant dynamic-fees-max-gas-capacity dynamic-fees-max-gas-per-second
dynamic-fees-min-gas-price dynamic-fees-target-gas-per-second fd-limit health-check-averager-halflife http-read-timeout
http-tls-cert-file http-tls-cert-file-content http-tls-key-file http-tls-key-file-content http-write-timeout log-dir log-format
log-rotater-max-age log-rotater-max-files log-rotater-max-size max-stake-duration max-validator-stake min-delegation-fee
min-delegator-stake min-stake-duration min-validator-stake network-compression-type network-health-max-outstanding-request-duration
network-health-max-portion-send-queue-full network-health-max-send-fail-rate network-health-max-time-since-msg-received
network-health-max-time-since-msg-sent network-health-min-conn-peers network-inbound-connection-throttling-cooldown
network-inbound-connection-throttling-max-conns-per-sec network-initial-reconnect-delay network-initial-timeout
network-max-clock-difference network-max-reconnect-delay network-maximum-inbound-timeout network-maximum-timeout network-minimum-timeout
network-no-ingress-connections-grace-period network-outbound-connection-throttling-rps network-outbound-connection-timeout
network-peer-list-bloom-reset-frequency network-peer-list-num-validator-ips network-peer-list-pull-gossip-frequency
network-peer-read-buffer-size network-peer-write-buffer-size network-ping-frequency network-ping-timeout network-read-handshake-timeout
network-tcp-proxy-read-timeout network-timeout-coefficient network-timeout-halflife network-tls-key-log-file-unsafe plugin-dir
profile-continuous-freq profile-continuous-max-files profile-dir public-ip-resolution-frequency
public-ip-resolution-service router-health-max-drop-rate router-health-max-outstanding-requests simplex-max-network-delay
simplex-max-rebroadcast-wait snow-commit-threshold snow-concurrent-repolls snow-confidence-quorum-size snow-max-processing
snow-max-time-processing snow-optimal-processing snow-preference-quorum-size snow-quorum-size snow-sample-size
stake-max-consumption-rate stake-min-consumption-rate stake-minting-period stake-supply-cap state-sync-ids state-sync-ips
subnet-config-content subnet-config-dir sybil-protection-disabled-weight system-tracker-cpu-halflife system-tracker-disk-halflife
system-tracker-disk-required-available-space system-tracker-disk-warning-threshold-available-space system-tracker-frequency
system-tracker-processing-halflife throttler-inbound-at-large-alloc-size throttler-inbound-bandwidth-max-burst-size
throttler-inbound-bandwidth-refill-rate throttler-inbound-cpu-max-non-validator-node-usage throttler-inbound-cpu-max-non-validator-usage
throttler-inbound-cpu-max-recheck-delay throttler-inbound-cpu-validator-alloc throttler-inbound-disk-max-non-validator-node-usage
throttler-inbound-disk-max-non-validator-usage throttler-inbound-disk-max-recheck-delay throttler-inbound-disk-validator-alloc
throttler-inbound-node-max-at-large-bytes throttler-inbound-node-max-processing-msgs throttler-inbound-validator-alloc-size
throttler-outbound-at-large-alloc-size throttler-outbound-node-max-at-large-bytes throttler-outbound-validator-alloc-size
tracing-endpoint tracing-exporter-type tracing-headers tracing-sample-rate track-subnets uptime-metric-freq uptime-requirement
validator-fees-capacity validator-fees-excess-conversion-constant validator-fees-min-price validator-fees-target vm-aliases-file
vm-aliases-file-content api-auth-password`);

function splitWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
