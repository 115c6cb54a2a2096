// Sends AVAX and exports some to the C-Chain with AvalancheGo's own client and wallet: go run . http://127.0.0.1:9650
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/ava-labs/avalanchego/api/info"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/utils/crypto/secp256k1"
	"github.com/ava-labs/avalanchego/utils/set"
	"github.com/ava-labs/avalanchego/vms/avm"
	"github.com/ava-labs/avalanchego/vms/components/avax"
	"github.com/ava-labs/avalanchego/vms/secp256k1fx"
	"github.com/ava-labs/avalanchego/wallet/chain/x"
	"github.com/ava-labs/avalanchego/wallet/chain/x/builder"
	"github.com/ava-labs/avalanchego/wallet/chain/x/signer"
	"github.com/ava-labs/avalanchego/wallet/subnet/primary/common"
)

// The key of account 0, which has money on every local network.
const ewoq = "PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN"

func main() {
	url := "http://127.0.0.1:9650"
	if len(os.Args) > 1 {
		url = os.Args[1]
	}
	if err := send(context.Background(), url, 1_500_000_000); err != nil {
		log.Fatal(err)
	}
}

func send(ctx context.Context, url string, amount uint64) error {
	var key secp256k1.PrivateKey
	if err := key.UnmarshalText([]byte(ewoq)); err != nil {
		return err
	}
	payer, payee := key.Address(), ids.GenerateTestShortID()
	client := avm.NewClient(url, "X")
	chain, err := x.NewContextFromURI(ctx, url)
	if err != nil {
		return err
	}

	// The wallet knows the outputs that it is given, and keeps them up to date while it sends.
	utxos := common.NewUTXOs()
	encoded, _, _, err := client.GetUTXOs(ctx, []ids.ShortID{payer}, 1024, ids.ShortEmpty, ids.Empty)
	if err != nil {
		return err
	}
	for _, bytes := range encoded {
		var utxo avax.UTXO
		if _, err := builder.Parser.Codec().Unmarshal(bytes, &utxo); err != nil {
			return err
		}
		if err := utxos.AddUTXO(ctx, chain.BlockchainID, chain.BlockchainID, &utxo); err != nil {
			return err
		}
	}
	backend := x.NewBackend(chain, common.NewChainUTXOs(chain.BlockchainID, utxos))
	keys := secp256k1fx.NewKeychain(&key)
	wallet := x.NewWallet(builder.New(set.Of(payer), chain, backend), signer.New(keys, backend), client, backend)

	outputTo := func(owner ids.ShortID) []*avax.TransferableOutput {
		return []*avax.TransferableOutput{{
			Asset: avax.Asset{ID: chain.AVAXAssetID},
			Out: &secp256k1fx.TransferOutput{
				Amt:          amount,
				OutputOwners: secp256k1fx.OutputOwners{Threshold: 1, Addrs: []ids.ShortID{owner}},
			},
		}}
	}
	tx, err := wallet.IssueBaseTx(outputTo(payee))
	if err != nil {
		return err
	}
	cChainID, err := info.NewClient(url).GetBlockchainID(ctx, "C")
	if err != nil {
		return err
	}
	if _, err := wallet.IssueExportTx(cChainID, outputTo(payer)); err != nil {
		return err
	}
	balance, err := client.GetBalance(ctx, payee, "AVAX", false)
	if err != nil {
		return err
	}
	fmt.Println(len(tx.ID().String()) > 40, uint64(balance.Balance))
	return nil
}
