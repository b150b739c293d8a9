"""Models, operations and resources. Generated from openapi.yaml by `python -m codegen`. Do not edit."""
