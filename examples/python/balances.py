"""Prints the balances of the funded accounts and the newest transactions of the first: python3 balances.py http://127.0.0.1:9650"""

import json
import sys
import urllib.request

from serac_client import Client
from serac_client.api.data_balances import get_balances_by_addresses
from serac_client.api.data_transactions import list_latest_primary_network_transactions
from serac_client.models import ListXChainBalancesResponse

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:9650"
# A server that asks for a key: AuthenticatedClient(url, token=KEY, prefix="", auth_header_name="x-glacier-api-key").
client = Client(base_url=url)


def dev(method: str, **params: object) -> dict:
    """Methods of the developer's chain are JSON-RPC, which needs no client."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": f"dev.{method}", "params": params}).encode()
    request = urllib.request.Request(f"{url}/ext/dev", body, {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(request))["result"]


accounts = dev("accounts")["accounts"]
dev("send", to=accounts[2]["address"], amount="1.5 AVAX")
for account in accounts[1:3]:
    found = get_balances_by_addresses.sync("local", "x-chain", client=client, addresses=account["address"])
    assert isinstance(found, ListXChainBalancesResponse), found
    for asset in found.balances.unlocked:
        print(account["index"], asset.symbol, asset.amount)
latest = list_latest_primary_network_transactions.sync("local", "x-chain", client=client, page_size=1)
print(len(latest.transactions), latest.transactions[0].tx_type)
