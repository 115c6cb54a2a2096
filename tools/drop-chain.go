// Removes what a chain has stored in a leveldb of AvalancheGo. A later version then starts the chain from its genesis: the C-Chain of a
// custom network has another genesis in each version. Build it in a module that requires AvalancheGo.
// Arguments: folder of the database (db/network-ID/v1.4.5), ID of the chain.

package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/ava-labs/avalanchego/database/prefixdb"
	"github.com/ava-labs/avalanchego/ids"
	"github.com/syndtr/goleveldb/leveldb"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	chain, err := ids.FromString(os.Args[2])
	check(err)
	db, err := leveldb.OpenFile(os.Args[1], nil)
	check(err)
	// All of a chain's databases are prefixes of its own prefix (chains/manager.go).
	own := prefixdb.MakePrefix(chain[:])
	prefixes := [][]byte{own}
	for _, name := range []string{"vm", "bs", "interval_bs"} {
		prefixes = append(prefixes, prefixdb.JoinPrefixes(own, []byte(name)))
	}
	batch := new(leveldb.Batch)
	for it := db.NewIterator(nil, nil); it.Next(); {
		for _, prefix := range prefixes {
			if bytes.HasPrefix(it.Key(), prefix) {
				batch.Delete(it.Key())
			}
		}
	}
	check(db.Write(batch, nil))
	check(db.Close())
	fmt.Println("removed", batch.Len(), "keys")
}
