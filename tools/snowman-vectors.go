// Makes vectors/snowman.json: random blocks, votes and polls, and what AvalancheGo's consensus decides. In a module that requires
// github.com/ava-labs/avalanchego v1.14.2: go run snowman-vectors.go > vectors/snowman.json
// Arguments: first seed, number of scenarios, steps in each.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ava-labs/avalanchego/ids"
	"github.com/ava-labs/avalanchego/snow"
	"github.com/ava-labs/avalanchego/snow/consensus/snowball"
	"github.com/ava-labs/avalanchego/snow/consensus/snowman"
	"github.com/ava-labs/avalanchego/snow/consensus/snowman/poll"
	"github.com/ava-labs/avalanchego/utils/bag"
	"github.com/ava-labs/avalanchego/utils/logging"
)

type none struct{}

func (none) Accept(*snow.ConsensusContext, ids.ID, []byte) error { return nil }

type scenario struct {
	Params [4]int   `json:"params"`
	Ids    []string `json:"ids"`
	Steps  [][]any  `json:"steps"`
}

type runner struct {
	r                  *rand.Rand
	blocks             []*blk
	index              map[ids.ID]int
	accepted, rejected []int
	ts                 *snowman.Topological
	out                scenario
	params             snowball.Parameters
	contest            bool // mostly siblings, and votes that stay with one of them for some polls
	sticky             int
}

type blk struct {
	w      *runner
	id     ids.ID
	parent ids.ID
	height uint64
	status int
}

func (b *blk) ID() ids.ID                   { return b.id }
func (b *blk) Parent() ids.ID               { return b.parent }
func (b *blk) Height() uint64               { return b.height }
func (b *blk) Timestamp() time.Time         { return time.Unix(1700000000, 0) }
func (b *blk) Bytes() []byte                { return b.id[:] }
func (b *blk) Verify(context.Context) error { return nil }
func (b *blk) Accept(context.Context) error {
	b.status = 1
	b.w.accepted = append(b.w.accepted, b.w.index[b.id])
	return nil
}
func (b *blk) Reject(context.Context) error {
	b.status = 2
	b.w.rejected = append(b.w.rejected, b.w.index[b.id])
	return nil
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// IDs share prefixes often: the first bytes come from a small set, the last ones are unique.
func (w *runner) newID() ids.ID {
	var id ids.ID
	id[0] = byte(w.r.Intn(1 << w.r.Intn(9)))
	if w.r.Intn(3) == 0 {
		id[1] = byte(w.r.Intn(256))
	}
	if w.r.Intn(4) == 0 {
		id[31] = byte(len(w.blocks)) // differs in the last bits only
	} else {
		id[2] = byte(len(w.blocks))
	}
	id[3+w.r.Intn(28)] |= byte(w.r.Intn(2))
	if _, ok := w.index[id]; ok {
		return w.newID()
	}
	return id
}

func (w *runner) live() []int {
	var out []int
	for i, b := range w.blocks {
		if b.status == 0 {
			out = append(out, i)
		}
	}
	return out
}

func (w *runner) last() int {
	id, _ := w.ts.LastAccepted()
	return w.index[id]
}

func (w *runner) add() {
	choices := append(w.live(), w.last(), w.last())
	p := w.index[w.ts.Preference()]
	if w.r.Intn(2) == 0 {
		p = choices[w.r.Intn(len(choices))]
	}
	if w.contest && w.r.Intn(5) > 0 {
		p = w.last()
	}
	b := &blk{w: w, id: w.newID(), parent: w.blocks[p].id, height: w.blocks[p].height + 1}
	w.index[b.id] = len(w.blocks)
	w.blocks = append(w.blocks, b)
	check(w.ts.Add(b))
	w.step("add", len(w.blocks)-1, p)
}

// what consensus says now: preference, processing blocks, the preferred branch above the last accepted block
func (w *runner) step(parts ...any) {
	branch := []int{}
	_, h := w.ts.LastAccepted()
	for {
		h++
		id, ok := w.ts.PreferenceAtHeight(h)
		if !ok {
			break
		}
		branch = append(branch, w.index[id])
	}
	if w.index[w.ts.Preference()] != append([]int{w.last()}, branch...)[len(branch)] {
		panic("branch does not end with the preference")
	}
	sort.Ints(w.rejected)
	state := []any{branch, w.ts.NumProcessing()}
	if len(w.accepted)+len(w.rejected) > 0 {
		state = append(state, append([]int{}, w.accepted...), append([]int{}, w.rejected...))
	}
	w.accepted, w.rejected = nil, nil
	w.out.Steps = append(w.out.Steps, append(parts, state))
}

// an ID to vote for: mostly along one branch, sometimes anything, unknown IDs included
func (w *runner) vote(leader int) ids.ID {
	n := w.r.Intn(20)
	if w.contest && w.r.Intn(3) == 0 {
		n = 15
	}
	live := w.live()
	switch {
	case n < 15 || len(live) == 0:
		return w.blocks[leader].id
	case n < 18:
		return w.blocks[live[w.r.Intn(len(live))]].id
	case n < 19:
		return w.blocks[w.last()].id
	default:
		return w.blocks[w.r.Intn(len(w.blocks))].id
	}
}

func (w *runner) leader() int {
	if w.contest && w.blocks[w.sticky].status == 0 && w.r.Intn(4) > 0 {
		return w.sticky
	}
	w.sticky = w.anyLeader()
	return w.sticky
}

func (w *runner) anyLeader() int {
	live := w.live()
	if len(live) == 0 || w.r.Intn(4) == 0 {
		return w.last()
	}
	if w.r.Intn(3) > 0 {
		return w.index[w.ts.Preference()]
	}
	return live[w.r.Intn(len(live))]
}

func (w *runner) direct(ctx context.Context) {
	var b bag.Bag[ids.ID]
	leader := w.leader()
	n := w.params.K - w.r.Intn(2)*w.r.Intn(w.params.K+1)
	if w.r.Intn(2) == 0 {
		b.AddCount(w.blocks[leader].id, n)
	} else {
		for i := 0; i < n; i++ {
			b.Add(w.vote(leader))
		}
	}
	votes := [][2]int{}
	for _, id := range b.List() {
		votes = append(votes, [2]int{w.index[id], b.Count(id)})
	}
	sort.Slice(votes, func(i, j int) bool { return votes[i][0] < votes[j][0] })
	check(w.ts.RecordPoll(ctx, b))
	w.step("poll", votes)
}

type open struct {
	req    uint32
	nodes  []int
	leader int
}

func node(i int) ids.NodeID { return ids.NodeID{byte(i + 1)} }

func run(seed int64, steps int) scenario {
	r := rand.New(rand.NewSource(seed))
	all := []snowball.Parameters{
		{K: 1, AlphaPreference: 1, AlphaConfidence: 1, Beta: 1 + r.Intn(3)},
		{K: 3, AlphaPreference: 2, AlphaConfidence: 3, Beta: 2},
		{K: 4, AlphaPreference: 3, AlphaConfidence: 3, Beta: 2 + r.Intn(3)},
		{K: 5, AlphaPreference: 3, AlphaConfidence: 4, Beta: 3},
		{K: 5, AlphaPreference: 3, AlphaConfidence: 3, Beta: 4},
		{K: 20, AlphaPreference: 15, AlphaConfidence: 15, Beta: 20},
		{K: 20, AlphaPreference: 11, AlphaConfidence: 16, Beta: 4},
	}
	params := all[r.Intn(len(all))]
	params.ConcurrentRepolls, params.OptimalProcessing, params.MaxOutstandingItems, params.MaxItemProcessingTime = 1, 1, 1, 1
	w := &runner{r: r, index: map[ids.ID]int{}, params: params}
	genesis := &blk{w: w, id: ids.ID{0xff, 0xee}, height: 7, status: 1}
	w.blocks = append(w.blocks, genesis)
	w.index[genesis.id] = 0
	ctx := &snow.ConsensusContext{Context: &snow.Context{Log: logging.NoLog{}}, Registerer: prometheus.NewRegistry(), BlockAcceptor: none{}}
	w.ts = &snowman.Topological{Factory: snowball.SnowflakeFactory}
	check(w.ts.Initialize(ctx, params, genesis.id, 7, time.Unix(1700000000, 0)))
	factory, err := poll.NewEarlyTermFactory(params.AlphaPreference, params.AlphaConfidence, prometheus.NewRegistry(), w.ts)
	check(err)
	set, err := poll.NewSet(factory, logging.NoLog{}, prometheus.NewRegistry())
	check(err)
	w.out.Params = [4]int{params.K, params.AlphaPreference, params.AlphaConfidence, params.Beta}
	usePolls := r.Intn(2) == 0
	w.contest = r.Intn(3) > 0
	var opened []*open
	req := uint32(0)
	for len(w.out.Steps) < steps {
		n := r.Intn(10)
		switch {
		case w.ts.NumProcessing() == 0 || (n < 2 && w.ts.NumProcessing() < 12):
			w.add()
		case !usePolls:
			w.direct(context.Background())
		case len(opened) == 0 || (n < 4 && len(opened) < 4):
			req++
			var b bag.Bag[ids.NodeID]
			for i := 0; i < params.K; i++ {
				b.Add(node(r.Intn(6)))
			}
			o := &open{req: req, leader: w.leader()}
			sampled := [][2]int{}
			for i := 0; i < 6; i++ {
				if c := b.Count(node(i)); c > 0 {
					o.nodes = append(o.nodes, i)
					sampled = append(sampled, [2]int{i, c})
				}
			}
			set.Add(req, b)
			opened = append(opened, o)
			w.step("open", req, sampled)
		default:
			at := r.Intn(len(opened))
			if r.Intn(2) == 0 {
				at = 0
			}
			o := opened[at]
			i := r.Intn(len(o.nodes))
			nodeIndex := o.nodes[i]
			if r.Intn(30) > 0 { // seldom a node answers twice
				o.nodes = append(o.nodes[:i:i], o.nodes[i+1:]...)
			}
			if len(o.nodes) == 0 {
				opened = append(opened[:at:at], opened[at+1:]...)
			}
			var results []bag.Bag[ids.ID]
			var parts []any
			if r.Intn(9) == 0 {
				results = set.Drop(o.req, node(nodeIndex))
				parts = []any{"drop", o.req, nodeIndex}
			} else {
				id := w.vote(o.leader)
				results = set.Vote(o.req, node(nodeIndex), id)
				parts = []any{"vote", o.req, nodeIndex, w.index[id]}
			}
			for _, result := range results {
				check(w.ts.RecordPoll(context.Background(), result))
			}
			w.step(append(parts, len(results))...)
		}
	}
	for _, b := range w.blocks {
		w.out.Ids = append(w.out.Ids, hex.EncodeToString(b.id[:]))
	}
	return w.out
}

// One choice between siblings alone: votes need not have a majority, and choices are added after decisions.
func tree(seed int64, steps int) scenario {
	r := rand.New(rand.NewSource(seed))
	all := []snowball.Parameters{
		{K: 3, AlphaPreference: 2, AlphaConfidence: 2, Beta: 2},
		{K: 5, AlphaPreference: 3, AlphaConfidence: 3, Beta: 4},
		{K: 5, AlphaPreference: 3, AlphaConfidence: 4, Beta: 3},
	}
	params := all[r.Intn(len(all))]
	w := &runner{r: r, index: map[ids.ID]int{}}
	w.out.Params = [4]int{params.K, params.AlphaPreference, params.AlphaConfidence, params.Beta}
	add := func() ids.ID {
		id := w.newID()
		w.index[id] = len(w.blocks)
		w.blocks = append(w.blocks, &blk{id: id})
		return id
	}
	t := snowball.NewTree(snowball.SnowflakeFactory, params, add())
	sticky := 0
	for len(w.out.Steps) < steps {
		var parts []any
		n := r.Intn(12)
		switch {
		case n < 3 && len(w.blocks) < 12:
			t.Add(add())
			parts = []any{"add", len(w.blocks) - 1}
		case n < 4:
			t.RecordUnsuccessfulPoll()
			parts = []any{"reset"}
		default:
			if r.Intn(5) == 0 {
				sticky = r.Intn(len(w.blocks))
			}
			var b bag.Bag[ids.ID]
			for i := r.Intn(2) * r.Intn(params.K); i < params.K; i++ {
				if r.Intn(4) > 0 {
					b.Add(w.blocks[sticky].id)
				} else {
					b.Add(w.blocks[r.Intn(len(w.blocks))].id)
				}
			}
			votes := [][2]int{}
			for _, id := range b.List() {
				votes = append(votes, [2]int{w.index[id], b.Count(id)})
			}
			sort.Slice(votes, func(i, j int) bool { return votes[i][0] < votes[j][0] })
			t.RecordPoll(b)
			parts = []any{"poll", votes}
		}
		w.out.Steps = append(w.out.Steps, append(parts, w.index[t.Preference()], t.Finalized()))
	}
	for _, b := range w.blocks {
		w.out.Ids = append(w.out.Ids, hex.EncodeToString(b.id[:]))
	}
	return w.out
}

func printAll(name string, scenarios []scenario) {
	fmt.Printf("%q: [\n", name)
	for i, one := range scenarios {
		line, err := json.Marshal(one)
		check(err)
		comma := ","
		if i == len(scenarios)-1 {
			comma = ""
		}
		fmt.Println(string(line) + comma)
	}
	fmt.Print("]")
}

func main() {
	first, count, steps := int64(1), 60, 120
	if len(os.Args) == 4 {
		first, _ = strconv.ParseInt(os.Args[1], 10, 64)
		count, _ = strconv.Atoi(os.Args[2])
		steps, _ = strconv.Atoi(os.Args[3])
	}
	var scenarios, trees []scenario
	for i := 0; i < count; i++ {
		scenarios = append(scenarios, run(first+int64(i), steps))
		trees = append(trees, tree(first+int64(i), 40))
	}
	// A poll that stays finished although the tree changed.
	scenarios = append(scenarios, run(1000637, 250))
	fmt.Print("{")
	printAll("scenarios", scenarios)
	fmt.Print(",")
	printAll("trees", trees)
	fmt.Println("}")
}
