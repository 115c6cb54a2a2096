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
  'staking-rpc-signer-endpoint': { kind: 'text', why: 'Serac signs with its own BLS key; give one with --staking-signer-key-file' },
};

/** AvalancheGo switches that have no effect in any command. Those on the second line were removed from AvalancheGo but are still used in scripts. */
export const ignoredSwitches: ReadonlySet<string> = splitWords(`
api-admin-enabled index-allow-incomplete index-enabled log-disable-display-plugin-logs log-rotater-compress-enabled meter-vms-enabled
api-auth-required api-ipcs-enabled api-keystore-enabled staking-enabled
network-tcp-proxy-enabled partial-sync-primary-network
profile-continuous-enabled proposervm-use-current-height tracing-insecure`);

/** AvalancheGo flags with a value that have no effect in any command; those that only `serac join` uses are in peer-flags.ts. */
export const ignoredValues: ReadonlySet<string> = splitWords(`
acp-object acp-support bootstrap-beacon-connection-timeout chain-aliases-file chain-aliases-file-content chain-config-content
chain-config-dir chain-data-dir consensus-app-concurrency consensus-shutdown-timeout db-config-file db-config-file-content db-dir
dynamic-fees-bandwidth-weight dynamic-fees-compute-weight dynamic-fees-db-read-weight dynamic-fees-db-write-weight
dynamic-fees-excess-conversion-constant dynamic-fees-max-gas-capacity dynamic-fees-max-gas-per-second dynamic-fees-min-gas-price
dynamic-fees-target-gas-per-second fd-limit http-read-timeout http-tls-cert-file http-tls-cert-file-content http-tls-key-file
http-tls-key-file-content http-write-timeout log-dir log-format log-rotater-max-age log-rotater-max-files log-rotater-max-size
max-stake-duration max-validator-stake min-delegation-fee min-delegator-stake min-stake-duration min-validator-stake
network-health-max-portion-send-queue-full network-peer-read-buffer-size network-peer-write-buffer-size
network-tcp-proxy-read-timeout network-tls-key-log-file-unsafe plugin-dir profile-continuous-freq profile-continuous-max-files profile-dir
public-ip-resolution-frequency public-ip-resolution-service router-health-max-drop-rate simplex-max-network-delay
simplex-max-rebroadcast-wait stake-max-consumption-rate stake-min-consumption-rate stake-minting-period stake-supply-cap state-sync-ids
state-sync-ips subnet-config-content subnet-config-dir system-tracker-cpu-halflife system-tracker-disk-halflife
system-tracker-disk-required-available-space system-tracker-disk-warning-threshold-available-space system-tracker-frequency
throttler-inbound-disk-max-non-validator-node-usage throttler-inbound-disk-max-non-validator-usage
throttler-inbound-disk-max-recheck-delay throttler-inbound-disk-validator-alloc throttler-inbound-node-max-processing-msgs
tracing-endpoint tracing-exporter-type tracing-headers
tracing-sample-rate track-subnets uptime-metric-freq validator-fees-capacity validator-fees-excess-conversion-constant
validator-fees-min-price validator-fees-target vm-aliases-file vm-aliases-file-content api-auth-password`);

function splitWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
