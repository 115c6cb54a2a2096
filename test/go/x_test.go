// Package e2e runs AvalancheGo's own tests of the X-Chain, tests/e2e/x, against nodes of a local network that already run:
// SERAC_URIS=http://127.0.0.1:9650 go test .
package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/stretchr/testify/require"

	// The tests: they add themselves to Ginkgo's.
	_ "github.com/ava-labs/avalanchego/tests/e2e/x"
	_ "github.com/ava-labs/avalanchego/tests/e2e/x/transfer"

	"github.com/ava-labs/avalanchego/config"
	"github.com/ava-labs/avalanchego/config/node"
	"github.com/ava-labs/avalanchego/genesis"
	"github.com/ava-labs/avalanchego/tests/fixture/e2e"
	"github.com/ava-labs/avalanchego/tests/fixture/tmpnet"
	"github.com/ava-labs/avalanchego/utils/constants"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/perms"
)

func TestX(t *testing.T) {
	ginkgo.RunSpecs(t, "AvalancheGo's tests/e2e/x")
}

var _ = ginkgo.BeforeSuite(func() {
	tc := e2e.NewEventHandlerTestContext()
	uris := strings.Split(os.Getenv("SERAC_URIS"), ",")
	dir, err := os.MkdirTemp("", "serac-e2e-x-")
	require.NoError(tc, err)
	ginkgo.DeferCleanup(func() { require.NoError(tc, os.RemoveAll(dir)) })

	require.NoError(tc, writeNetwork(dir, uris))
	environment := e2e.TestEnvironment{NetworkDir: dir}
	bytes, err := json.Marshal(environment)
	require.NoError(tc, err)
	e2e.InitSharedTestEnvironment(tc, bytes)
})

// writeNetwork writes the folder from which tmpnet reads a network whose nodes run.
func writeNetwork(dir string, uris []string) error {
	network := &tmpnet.Network{
		Dir:       dir,
		NetworkID: constants.LocalID,
		// The first Ginkgo process takes the key with index 1.
		PreFundedKeys: []*secp256k1.PrivateKey{genesis.EWOQKey, genesis.EWOQKey},
		// The nodes are processes. tmpnet starts no further ones.
		DefaultRuntimeConfig: tmpnet.NodeRuntimeConfig{Process: &tmpnet.ProcessRuntimeConfig{}},
		// The names of the nodes are used in logs only.
		Nodes: tmpnet.NewNodesOrPanic(len(uris)),
	}
	for _, one := range network.Nodes {
		one.DataDir = filepath.Join(dir, one.NodeID.String())
	}
	if err := network.Write(); err != nil {
		return err
	}
	for i, one := range network.Nodes {
		bytes, err := json.Marshal(node.ProcessContext{URI: uris[i]})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(one.DataDir, config.DefaultProcessContextFilename), bytes, perms.ReadWrite); err != nil {
			return err
		}
	}
	return nil
}
