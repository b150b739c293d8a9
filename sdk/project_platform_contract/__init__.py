"""Contract suite: proves the rules of the Project Platform API, one by one, on a stub or on a deployment.

```sh
project-platform contract https://platform.example --token-env TOKEN --project 0b9c4c6e-... --data contract.yaml
pytest --pyargs project_platform_contract --contract-url https://platform.example
```
"""

from __future__ import annotations
