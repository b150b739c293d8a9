"""A contract suite: the rules of the Project Platform API, each proven or found violated on a stub or a deployment.

```sh
project-platform contract https://platform.example --token-env TOKEN --project 0b9c4c6e-... --data contract.yaml
pytest --pyargs project_platform_contract --contract-url https://platform.example
```
"""

from __future__ import annotations
